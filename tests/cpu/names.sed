# What a disassembler says of compressed instructions, and of those of 32 bits that do the same, in the same words.
# Comments, symbols; what neither knows.
s/ *#.*//
s/ <.*>//
s/\.2byte .*/unimp/
# Hints, for which only the compressed form has names.
s/ c\.(sll|srl|sra)i64 (.*)/ \1 \2,\2,0x0/
s/ c\.slli zero,/ sll zero,zero,/
s/ c\.nop / li zero,/
s/ nop$/ li zero,0/
s/ c\.(li|lui|add|mv) / \1 /
s/ add zero,([a-z0-9]+)$/ add zero,zero,\1/
# The same with two names.
s/ add ([a-z0-9]+),\1,0$/ mv \1,\1/
s/ add ([a-z0-9]+),zero,([a-z0-9]+)$/ mv \1,\2/
# Shifts by 32 and more are RV64's; c.addi16sp of 0 is reserved.
s/ (sll|srl|sra) (.*),0x[23].$/ unimp/
s/^124608 mv sp,sp$/124608 unimp/
