import { readFileSync } from 'node:fs'
import { BYTES, LIMITS, RATES } from '../../src/admission/limits.ts'

const MEBIBYTE = 1 << 20
const number = (n: number) =>
  n >= MEBIBYTE
    ? `${n / MEBIBYTE} MiB`
    : Math.round(n * 10) / 10 === n
      ? n.toLocaleString('en')
      : n.toFixed(0)

test('docs/security.md has each limit', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  for (const { name, total, share } of Object.values(LIMITS))
    expect(page).toContain(`\n| ${name} | ${number(total)} | ${number(share)} |`)
  // of bytes a holder that is alone has half
  for (const { name, total } of Object.values(BYTES))
    expect(page).toContain(`\n| ${name} | ${number(total)} | ${number(total / 2)} |`)
  for (const { name, burst, perSecond } of Object.values(RATES))
    expect(page).toContain(`\n| ${name} | | ${number(burst)}, then ${number(perSecond)} a second |`)
})
