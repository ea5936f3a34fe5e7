;! config ref16
;! seed 10798502810325944509
;! data 1
;! latency 1
;! interval 1
;! watchdog 0
;! timing_only 1
;! limit0 384
;! limit1 108
;! limit2 29069
;! limit3 0
;! limit4 16230
;! limit5 34572
;! limit6 47537
;! limit7 61169
;! writable 255
load act_banks=0 memory=act
load signal=matrix act_banks=0 memory=act
load wgt_banks=7 memory=wgt address=374 local=116121 run=4
fill act_banks=0
matrix wait=load act_banks=10 wgt_banks=0 acc_banks=1 mode=dense wgt=130848
vector act_banks=0 acc_banks=0 par_banks=0 function=requant rounding=gemmlowp
