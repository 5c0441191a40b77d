import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { HOME, README_OF_CLONE } from './readme.ts'

// After packing: what pack.ts has put in the place of the clone's.

renameSync(README_OF_CLONE, join(HOME, 'README.md'))
