const begun = performance.now()

export const printDemoLine = (line = '') => void process.stdout.write(`${line}\n`)

/** Prints a line with the time since the demo began. */
export const printStep = (line: string) =>
  printDemoLine(`\n${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${line}`)

export const printDetail = (line: string) => printDemoLine(`         ${line.trimEnd()}`)
