import { afterAll } from 'vitest'

/** Stops a server, or closes a database, after the last test of the file. Returns it. */
export function stopAfterAll<T extends { stop(): unknown } | { close(): unknown }>(running: T): T {
  afterAll(async () => {
    await ('stop' in running ? running.stop() : running.close())
  })
  return running
}
