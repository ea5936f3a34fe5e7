;! config large32
;! seed 14686908312583212613
;! data 1
;! latency 1
;! interval 1
;! watchdog 0
;! timing_only 1
;! limit0 320
;! limit1 28968
;! limit2 18208
;! limit3 590
;! limit4 118968
;! limit5 46428
;! limit6 538
;! limit7 46125
;! writable 255
matrix act_banks=31 wgt_banks=0 acc_banks=0 mode=depthwise act=1015808 tile_count=1,1,1,2 tile_act_stride=0,0,0,16224 window_rows=1 window_columns=2 window_step=1
store act_banks=0 region=1
matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=dense
load act_banks=0 memory=act
fill act_banks=31 local=1048544
