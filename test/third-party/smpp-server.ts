import { join } from 'node:path'
import { FOLDER } from './folder.ts'

/** An SMPP server that others wrote, and the codec of its texts; in a folder of Python's. */
export const SMPP_PYPI = ['smpp.twisted3==0.8', 'gsm0338==1.1.0'] as const
export const SMPP_FOLDER = join(FOLDER, '..', 'smpp-server')

/** Another, in Java: a folder of Maven's, with all that it needs. */
export const SMPP_MAVEN = { groupId: 'com.fizzed', artifactId: 'ch-smpp', version: '5.0.9' } as const
export const SMPP_JAVA_FOLDER = join(FOLDER, '..', 'smpp-server-java')
