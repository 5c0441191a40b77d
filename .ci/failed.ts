/**
 * What failed in a JSON report of Vitest: `node .ci/failed.ts REPORT` prints each failed test with its
 * message, `node .ci/failed.ts REPORT --files` only the files that hold one.
 */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

const [file = '', wanted] = process.argv.slice(2)
const report = JSON.parse(readFileSync(file, 'utf8')) as Report
const failed = report.testResults.filter(({ status }) => status === 'failed')

if (wanted === '--files') {
  for (const name of new Set(failed.map((result) => relative('.', result.name)))) console.log(name)
} else {
  for (const { name, message, assertionResults } of failed) {
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    if (tests.length === 0) console.log(`${relative('.', name)}\n${message}\n`)
    for (const test of tests) {
      console.log(`${relative('.', name)}: ${test.fullName}\n${test.failureMessages.join('\n')}\n`)
    }
  }
}
