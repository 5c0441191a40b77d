import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram, LICENSES } from './bundle.ts'
import { notice } from './notice.ts'
import { HOME, linkAbsolutely, README_OF_CLONE } from './readme.ts'
import { typesOf } from './types.ts'

// `npm pack` and `npm publish` run this before they pack, and restore.ts afterwards.

const TARGET = join(HOME, 'dist')

await bundleProgram(TARGET)
writeFileSync(join(TARGET, 'types.d.ts'), typesOf())
writeFileSync(join(HOME, 'NOTICE'), notice())
rmSync(join(TARGET, LICENSES))
const readme = join(HOME, 'README.md')
cpSync(readme, README_OF_CLONE)
writeFileSync(readme, linkAbsolutely(readFileSync(readme, 'utf8')))
