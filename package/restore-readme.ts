import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { HOME, README_OF_CLONE } from './readme.ts'

renameSync(README_OF_CLONE, join(HOME, 'README.md'))
