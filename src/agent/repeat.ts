/**
 * Looks again and again, `pauseMs` after the last look ended, until the returned function is called; it
 * waits. What keeps a look from working (a folder that is not mounted, a file that may not be read) is said,
 * once as long as it stays the same: nobody who has a text with the radio may die of it.
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
