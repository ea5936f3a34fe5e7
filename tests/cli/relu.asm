; The larger of each byte and 0: 256 bytes of the inputs to the outputs, for B = 8.
load act_banks=0 region=3 run=256                      ; to line 0
fill signal=vector act_banks=1 local=2048 run=8        ; a line of zeros
vector wait=load signal=store act_banks=0-2 function=max out=512 a=0 b=256 count=32,1,1 out_stride=1,0,0 a_stride=1,0,0 low=-128 high=127
store wait=vector act_banks=2 region=4 local=4096 run=256
halt
