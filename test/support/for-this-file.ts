import { afterAll } from 'vitest'

/** Waits for something that a test file starts at its top, and stops it after the file's last test. */
export async function forThisFile<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const started = await starting
  afterAll(() => started.stop())
  return started
}
