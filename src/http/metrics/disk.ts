import { statfs } from 'node:fs/promises'
import type { Config } from '../../platform/config.ts'

export interface Disk {
  readonly free: number
  readonly total: number
}

/** Operators are warned when the free space of the disk is below either limit. */
const LEAST = { bytes: 1 << 30, share: 0.1 } as const

/** The disk of the embedded database; undefined for another database, whose disk the server does not see. */
export async function readDisk({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>) {
  if (databaseUrl) return undefined
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return { free: bavail * bsize, total: blocks * bsize } satisfies Disk
}

/** A warning for operators; undefined while there is room. */
export function findDiskWarning({ free, total }: Disk): string | undefined {
  if (free >= LEAST.bytes && free >= total * LEAST.share) return undefined
  const percent = Math.floor((free / total) * 100)
  const room = `${Math.floor(free / 1_048_576)} MiB (${percent} %)`
  return `The disk of the database has ${room} left. When it is full, nothing can be sent or received.`
}
