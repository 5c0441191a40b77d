/** Runs a check `pauseMs` after each end. The returned function stops it. Logs repeated errors once. */
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
