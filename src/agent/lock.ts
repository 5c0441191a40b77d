import { lockFile } from '../tools/lock-file.ts'

/** Prevents a second agent with the same state, which would send the same texts. Returns the release. */
export function lockState(file: string): () => void {
  const lock = `${file}.pid`
  return lockFile(lock, (owner) => `Process ${owner} runs as this device already (${lock}).`)
}
