;! config few8
;! seed 1234798916046975341
;! data 1
;! latency 1
;! interval 1
;! watchdog 0
;! timing_only 1
;! limit0 192
;! limit1 53498
;! limit2 50062
;! limit3 918
;! limit4 8017
;! limit5 21827
;! limit6 62020
;! limit7 0
;! writable 203
vector act_banks=0 acc_banks=0 par_banks=0 function=requant rounding=single count=3,1,1
matrix act_banks=1 wgt_banks=0 acc_banks=1 mode=depthwise act=512 acc=64 window_rows=1 window_columns=1 window_step=1
matrix act_banks=0 wgt_banks=0 acc_banks=0 mode=dense
