/**
 * Runs a check every `pauseMs` after the last one ended, until the returned function is called, which waits
 * for it. Errors (a folder not mounted, a file not readable) are logged once while they stay the same. Never
 * exits while the modem is sending.
 */
export function repeat(look: () => Promise<void>, pauseMs: number, say = complain): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isOver = false
  let trouble = ''
  const run = () => {
    running = look()
      .then(
        () => '',
        (error: unknown) => String(error),
      )
      .then((found) => {
        if (found !== '' && found !== trouble) say(found)
        trouble = found
        if (!isOver) timer = setTimeout(run, pauseMs)
      })
  }
  run()
  return async () => {
    isOver = true
    clearTimeout(timer)
    await running
  }
}

const complain = (trouble: string) => void process.stderr.write(`The modem is not heard: ${trouble}\n`)
