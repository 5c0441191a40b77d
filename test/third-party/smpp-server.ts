import { join } from 'node:path'
import { FOLDER } from './folder.ts'

/** An SMPP server that others wrote, and the codec of its texts; in a folder of Python's. */
export const SMPP_PYPI = ['smpp.twisted3==0.8', 'gsm0338==1.1.0'] as const
export const SMPP_FOLDER = join(FOLDER, '..', 'smpp-server')
