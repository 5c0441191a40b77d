import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { notice } from './notice.ts'
import { HOME, linkAbsolutely, README_OF_CLONE } from './readme.ts'
import { typesOf } from './types.ts'

// `npm pack` and `npm publish` run this before they pack, and restore.ts afterwards.

const [SOURCE, TARGET] = [join(HOME, 'src'), join(HOME, 'dist')]

/** The ends of our own files' names where they are imported, or started as a thread or a process. */
const IMPORTED = /((?:\bfrom|\bimport|\bnew URL)\s*\(?\s*'\.{1,2}\/[^']*)\.ts'/g

/**
 * Makes dist of src, for the package that npm publishes: Node strips no types below node_modules. The same
 * files at the same depth, so that what they find by their own address is where it was.
 */
function stripAll(): void {
  rmSync(TARGET, { recursive: true, force: true })
  cpSync(SOURCE, TARGET, { recursive: true, filter: (file) => !file.endsWith('.ts') })
  for (const file of globSync('**/*.ts', { cwd: SOURCE })) {
    const code = stripTypeScriptTypes(readFileSync(join(SOURCE, file), 'utf8'))
    const target = join(TARGET, file.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, code.replace(IMPORTED, "$1.js'"))
  }
}

stripAll()
writeFileSync(join(TARGET, 'types.d.ts'), typesOf())
writeFileSync(join(HOME, 'NOTICE'), notice())
const readme = join(HOME, 'README.md')
cpSync(readme, README_OF_CLONE)
writeFileSync(readme, linkAbsolutely(readFileSync(readme, 'utf8')))
