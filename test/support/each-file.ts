import { afterAll, afterEach } from 'vitest'
import { takeFaults } from './answers/answers.ts'
import { removeDataFolders } from './database/pglite.ts'

/** Fails the test whose requests were answered otherwise than src/openapi says. */
function checkAnswers(): void {
  const faults = takeFaults()
  if (faults.length > 0)
    throw new Error(`Answers that the API's description does not know:\n${faults.join('\n')}`)
}

afterEach(checkAnswers)
afterAll(checkAnswers)
// hooks of the file itself, which stop its servers, run before this one
afterAll(removeDataFolders)
