import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import peggy from 'peggy'
import { PROGRAM_FOLDER } from '../../platform/program-folder.ts'

/** Parses a filter by `grammar/filter.peggy`. The package that npm publishes contains the finished parser. */
export const { parse } = peggy.generate(
  readFileSync(join(PROGRAM_FOLDER, 'grammar/filter.peggy'), 'utf8'),
)
