import { closeSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The parts of Emscripten's file system that are used here. */
interface Module {
  readonly FS: { isDir(mode: number): boolean }
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: Stream) => number }
    tryFSOperation<T>(work: () => T): T
  }
}
interface Stream {
  readonly nfd: number
  readonly node: { readonly mode: number }
}
type Init = NodeFS['init']

/**
 * PGlite's files in a folder, with a working fsync: PGlite's own class has none, so that a power cut loses
 * what was committed. Emscripten's `fd_sync` calls `stream_ops.fsync` for files and folders. Node's fsync is
 * F_FULLFSYNC on macOS (libuv). `refused` is told once if the platform syncs no folders.
 */
export class DurableFolder extends NodeFS {
  readonly #refused: (error: Error) => void

  constructor(folder: string, refused: (error: Error) => void) {
    super(folder)
    this.#refused = refused
  }

  override async init(...[client, options]: Parameters<Init>): ReturnType<Init> {
    const { emscriptenOpts } = await super.init(client, options)
    const addFsync = (module: unknown) => this.#addFsync(module as Module)
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), addFsync] } }
  }

  #addFsync({ FS, NODEFS }: Module): void {
    const sync = syncer(this.#refused)
    NODEFS.stream_ops.fsync = ({ nfd, node }) => {
      // an error becomes one of Emscripten's, so that Postgres learns its number
      NODEFS.tryFSOperation(() => sync(nfd, FS.isDir(node.mode)))
      return 0
    }
  }
}

/** fsync(2); what a platform refuses for folders is reported once and passed over, as Postgres does. */
function syncer(refused: (error: Error) => void) {
  let isReported = false
  return (descriptor: number, isFolder: boolean): void => {
    try {
      fsyncSync(descriptor)
    } catch (error) {
      if (!isFolder || !isRefusal(error)) throw error
      if (!isReported) refused(error)
      isReported = true
    }
  }
}

const REFUSALS = new Set(['EPERM', 'EACCES', 'EISDIR', 'EINVAL', 'EBADF', 'ENOTSUP'])
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && REFUSALS.has(String(error.code))

/** Syncs a folder with all that is in it, however deep. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(folder, true)
}

/** Syncs the folders above a path up to the root: they name what was made in them. */
export function syncParents(path: string): void {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    syncPath(folder, true)
    if (folder === dirname(folder)) return
  }
}

/**
 * Syncs one file or folder. A folder that the platform does not sync, or that we may not read, is passed
 * over.
 */
function syncPath(path: string, isFolder = false): void {
  try {
    const descriptor = openSync(path, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch (error) {
    if (!isFolder || !isRefusal(error)) throw error
  }
}
