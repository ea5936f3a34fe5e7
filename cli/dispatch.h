/* From a command line to its subcommand. */
#ifndef WEFT_CLI_DISPATCH_H
#define WEFT_CLI_DISPATCH_H

/* Does what the command line asks for: argv[0] is weft, argv[1] the subcommand. Prints its own
 * errors and returns the exit status. */
int dispatch(int argc, char **argv);

#endif
