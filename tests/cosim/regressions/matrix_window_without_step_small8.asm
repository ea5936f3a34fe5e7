;! config small8
;! seed 1
;! data 1
;! latency 1
;! interval 1
;! watchdog 0
;! timing_only 1
;! limit0 192
;! limit1 0
;! limit2 0
;! limit3 0
;! limit4 0
;! limit5 0
;! limit6 0
;! limit7 0
matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=depthwise tile_count=1,1,2,1 window_rows=1 window_columns=3 pixel_count=2,3 pixel_act_stride=0,8
matrix act_banks=0 wgt_banks=0 acc_banks=1 mode=depthwise window_rows=1 window_columns=3 pixel_count=2,3 pixel_act_stride=0,8
halt
