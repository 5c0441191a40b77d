import { totalmem } from 'node:os'

/** Bytes of memory of this machine, or of this container if it has a limit. */
export function readMachineMemory(): number {
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
