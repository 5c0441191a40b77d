export type ReportProgress = (step: string, done: number, total: number) => void

const EVERY_MS = 100
const SPARSE_EVERY_MS = 5_000

/** Shows progress: rewrites one line on a terminal, else prints a line per step and every 5 s. */
export function showProgress(terminal: {
  isTTY?: boolean
  write(text: string): unknown
}): ReportProgress {
  let last = Date.now()
  return (step, done, total) => {
    const finished = done === total
    const due = Date.now() - last >= (terminal.isTTY ? EVERY_MS : SPARSE_EVERY_MS)
    if (!finished && !due) return
    last = Date.now()
    const line = `${step} ${done}/${total}`
    terminal.write(terminal.isTTY ? `\r\x1b[K${line}${finished ? '\n' : ''}` : `${line}\n`)
  }
}
