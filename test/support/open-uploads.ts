import { readdirSync, readlinkSync } from 'node:fs'

/** How many temporary files of uploads this process has open; 0 where the system does not tell. */
export function openUploads(): number {
  if (process.platform !== 'linux') return 0
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes('/pocketsms-upload-')
    } catch {
      return false // closed meanwhile
    }
  }).length
}
