/** Looks again and again, `pauseMs` after the last look ended, until the returned function is called; it waits. */
export function repeat(look: () => Promise<void>, pauseMs: number): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isOver = false
  const run = () => {
    running = look().finally(() => {
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
