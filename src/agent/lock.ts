import { lockFile } from '../tools/lock-file.ts'

/**
 * Keeps a second agent from the same state: it would send what this one sends. Answers what gives it free.
 */
export function lockState(file: string): () => void {
  const lock = `${file}.pid`
  return lockFile(lock, (owner) => `Process ${owner} runs as this device already (${lock}).`)
}
