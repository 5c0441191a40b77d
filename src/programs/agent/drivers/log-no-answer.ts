/** A logger that prints to standard error that a modem or phone does not answer. */
export const STDERR = {
  error: ({ err }: { readonly err: unknown }) =>
    void process.stderr.write(`The modem does not answer: ${err}\n`),
}
