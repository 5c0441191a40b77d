import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const TEXT = /\.(js|css|svg|webmanifest)$/

/** Writes `FILE.br` and `FILE.gz` beside each text file of the build, so that the server never compresses. */
export function makeCompressPlugin(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir, 'assets')
    },
    closeBundle() {
      for (const name of readdirSync(folder).filter((file) => TEXT.test(file))) {
        const bytes = readFileSync(join(folder, name))
        // best, but for Swagger UI: that takes seconds
        const params = { [constants.BROTLI_PARAM_QUALITY]: bytes.length > 1_000_000 ? 9 : 11 }
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
