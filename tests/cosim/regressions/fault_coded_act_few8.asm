;! config few8
;! seed 13680482256909355843
;! data 1
;! latency 1
;! interval 1
;! watchdog 0
;! timing_only 1
;! limit0 64
;! limit1 47943
;! limit2 687
;! limit3 46410
;! limit4 0
;! limit5 4535
;! limit6 614
;! limit7 25432
;! writable 251
load act_banks=0 memory=act units=1
