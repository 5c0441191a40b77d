import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const SIZE_BYTES = 4 * 1024 ** 3
const MAX_COPIES = 20

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Why no disk can be made here; undefined where one can. */
export function whyNoDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'this needs Linux, and root to mount a disk'
  try {
    run('mkfs.ext4', '-V')
    run('losetup', '-f')
    return undefined
  } catch (error) {
    return `this needs mkfs.ext4 and a loop device: ${(error as Error).message}`
  }
}

/** An ext4 file system in an image file, mounted through a loop device: its power can be cut. */
export class Disk {
  readonly #folder = mkdtempSync(join(tmpdir(), 'pocketsms-disk-'))
  readonly #image = join(this.#folder, 'image')
  /** Where it is mounted. */
  readonly path = join(this.#folder, 'mounted')

  constructor() {
    chmodSync(this.#folder, 0o711) // Postgres has an account of its own
    writeFileSync(this.#image, '')
    truncateSync(this.#image, SIZE_BYTES)
    run('mkfs.ext4', '-q', '-F', this.#image)
    mkdirSync(this.path)
    this.#mount()
  }

  /**
   * Keeps what the disk has stored now, and no more: what only the system's cache has is lost. `processes`
   * are those that write to it; they are killed.
   */
  cutPower(processes: () => readonly number[]): void {
    for (const pid of processes()) process.kill(pid, 'SIGSTOP')
    const copy = `${this.#image}.copy`
    this.#copyAtRest(copy)
    for (const pid of processes()) process.kill(pid, 'SIGKILL')
    run('umount', '--lazy', this.path)
    renameSync(copy, this.#image)
    this.#mount()
  }

  /** Leaves no room on it until the returned function is called. */
  fill(): () => void {
    const file = join(this.path, 'filler')
    const { bavail, bsize } = statfsSync(this.path)
    run('fallocate', '-l', String(bavail * bsize), file)
    return () => rmSync(file)
  }

  remove(): void {
    run('umount', '--lazy', this.path)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #mount(): void {
    run('mount', '-o', 'loop', this.#image, this.path)
  }

  /** A power cut is one instant, a copy is not: it counts if the system wrote nothing meanwhile. */
  #copyAtRest(copy: string): void {
    for (let i = 0; i < MAX_COPIES; i++) {
      const before = this.#writes()
      run('cp', '--sparse=always', this.#image, copy)
      if (this.#writes() === before) return
    }
    throw new Error('The system went on writing to the disk after its processes were stopped.')
  }

  /**
   * What was written to the device since it was attached, as the kernel counts it.
   * Documentation/block/stat.rst
   */
  #writes(): string {
    const device = basename(run('findmnt', '--noheadings', '--output', 'SOURCE', this.path))
    const [, , , , writes, , sectors] = readFileSync(`/sys/block/${device}/stat`, 'utf8')
      .trim()
      .split(/\s+/)
    return `${writes} ${sectors}`
  }
}
