;! config small8
;! seed 5692167086857816053
;! data 1
;! latency 1
;! interval 5
;! watchdog 0
;! timing_only 1
;! limit0 192
;! limit1 8418
;! limit2 0
;! limit3 24517
;! limit4 578
;! limit5 452
;! limit6 60521
;! limit7 47486
;! writable 255
matrix act_banks=0 wgt_banks=0 acc_banks=1-2 mode=dense acc=133 pixel_count=156,1 pixel_acc_stride=1,0
matrix act_banks=31 wgt_banks=0 acc_banks=0 mode=depthwise act=65376 window_rows=2 window_columns=3 window_row_stride=152 window_step=1
fill act_banks=31 local=65530
