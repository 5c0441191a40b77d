import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { syncTree } from './durable-folder.ts'

// A program: makes the files of an empty database in the folder that is its argument, and syncs them.
// make-folder.ts runs it.

/** The parts of Emscripten's file system that are used here. */
interface Files {
  isDir(mode: number): boolean
  readdir(path: string): string[]
  readFile(path: string): Uint8Array
  stat(path: string): { readonly mode: number }
}

/**
 * A file system in memory. PGlite runs initdb on it, then calls syncToFs: the files are written out, and the
 * program ends.
 */
class Written extends MemoryFS {
  override async syncToFs(): Promise<void> {
    writeOut(this.pg!.Module.FS as unknown as Files, PGlite.paths.PGDATA, folder)
    syncTree(folder)
    process.exit(0)
  }
}

function writeOut(files: Files, from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const name of files.readdir(from)) {
    if (name === '.' || name === '..') continue
    const [source, target] = [`${from}/${name}`, join(to, name)]
    if (files.isDir(files.stat(source).mode)) writeOut(files, source, target)
    else writeFileSync(target, files.readFile(source), { mode: 0o600 })
  }
}

const folder = process.argv[2]!
try {
  // small buffers: initdb touches all of them
  await PGlite.create({ fs: new Written(), initDbStartParams: ['--set', 'shared_buffers=1MB'] })
  throw new Error('initdb did not run')
} catch (error) {
  process.stderr.write((error as Error).message)
  process.exitCode = 1
}
