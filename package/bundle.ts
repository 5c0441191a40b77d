import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import peggy from 'peggy'
import { build, type Plugin } from 'vite'
import { HOME } from './readme.ts'

/**
 * Libraries that are bundled, too, as they have half of the modules that a server loads: 0.15 s of its start,
 * and 17 MB of an installation. They are devDependencies. Only those whose objects no other library gets.
 */
export const INSIDE = ['jose', 'kysely', 'libphonenumber-js']
/** The licences of these libraries, in the folder of the bundle. */
export const LICENSES = 'licenses.md'

/** Puts the parser of filters in place of the module that makes it of the grammar. */
const madeParser: Plugin = {
  name: 'made-parser',
  load: (id) =>
    id.endsWith('/src/engine/filter/filter-grammar.ts')
      ? peggy.generate(readFileSync(join(HOME, 'grammar/filter.peggy'), 'utf8'), {
          output: 'source',
          format: 'es',
        })
      : undefined,
}

/** A worker thread is a file beside the others, which `new URL` names by the ending of its source. */
const threadsBeside: Plugin = {
  name: 'threads-beside',
  enforce: 'pre',
  transform: (code) => ({
    code: code.replace(/(new URL\('\.\/[\w-]+)\.ts'/g, "$1.js'"),
    map: null, // no character moves
  }),
}

/**
 * Makes dist of src, for the package that npm publishes: Node strips no types below node_modules, and opens a
 * few large files faster than a thousand small ones. Most libraries stay packages of their own. A command
 * loads the files that it needs; source maps name the sources in stacks.
 */
export async function bundleProgram(target: string): Promise<void> {
  await build({
    configFile: false,
    root: HOME,
    publicDir: false,
    ssr: { noExternal: INSIDE },
    logLevel: 'warn',
    plugins: [madeParser, threadsBeside],
    build: {
      ssr: true,
      outDir: target,
      emptyOutDir: true,
      target: 'node22',
      minify: false,
      sourcemap: true,
      license: { fileName: LICENSES },
      rollupOptions: {
        input: {
          cli: join(HOME, 'src/main/cli.ts'),
          'mail-thread': join(HOME, 'src/protocols/smtp/mail-thread.ts'),
        },
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          sourcemapExcludeSources: true,
          // V8 keeps the text of a file, in two bytes a character if one of them is not of Latin 1
          comments: false,
          charset: 'ascii',
        },
      },
    },
  })
}
