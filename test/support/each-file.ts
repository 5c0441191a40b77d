import { afterAll, afterEach } from 'vitest'
import { takeFaults } from './answers/answers.ts'
import { removeFolders } from './database/temporary-folder.ts'
import { dropDatabases } from './server/start.ts'
import { stopAll } from './stops.ts'

// the setups of two projects in one run each have a server: this is that of the file's project
const { TEST_SERVER = 'EMBEDDED' } = process.env
process.env.TEST_POSTGRES_URL = process.env[`${TEST_SERVER}_URL`]
process.env.TEST_TEMPLATE = process.env[`${TEST_SERVER}_TEMPLATE`]
process.env.TEST_POOLER = process.env[`${TEST_SERVER}_POOLER`] ?? ''

/** Fails the test whose requests were answered otherwise than src/http/openapi says. */
function checkAnswers(): void {
  const faults = takeFaults()
  if (faults.length > 0)
    throw new Error(`Answers that the API's description does not know:\n${faults.join('\n')}`)
}

afterEach(checkAnswers)
afterAll(checkAnswers)
// the last one is run first
afterAll(removeFolders)
afterAll(dropDatabases)
afterAll(stopAll)
