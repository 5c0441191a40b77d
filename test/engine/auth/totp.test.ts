import { execFileSync } from 'node:child_process'
import {
  computeTotp,
  findTotpStep,
  makeTotpSecret,
  makeTotpUrl,
  readTotpStep,
} from '../../../src/engine/auth/totp.ts'
import { runs } from '../../support/installed.ts'

// The secret of RFC 6238, appendix B, in base32.
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
  [20000000000, '353130'],
])('the code at %d s is that of RFC 6238: %s', (seconds, code) => {
  expect(computeTotp(SECRET, readTotpStep(seconds * 1000))).toBe(code)
})

test.runIf(runs('oathtool', '--version'))('the codes are those of oathtool', () => {
  for (const seconds of [59, 1_799_999_999, 1_800_000_030]) {
    const args = ['--totp', '--base32', `--now=@${seconds}`, SECRET]
    const code = execFileSync('oathtool', args, { encoding: 'utf8' }).trim()
    expect(computeTotp(SECRET, readTotpStep(seconds * 1000))).toBe(code)
  }
})

test('a secret has 160 bits in base32, and another each time', () => {
  const secrets = Array.from({ length: 50 }, makeTotpSecret)
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(new Set(secrets).size).toBe(50)
})

test('a code counts in its step, in the step before and in the step after', () => {
  const now = readTotpStep()
  for (const drift of [-1, 0, 1])
    expect([now + drift, now + drift + 1]).toContain(
      findTotpStep(SECRET, computeTotp(SECRET, now + drift), now),
    )
  for (const drift of [-3, 3])
    expect(findTotpStep(SECRET, computeTotp(SECRET, now + drift), now)).toBeUndefined()
})

test('the address of a QR code names the server and the person', () => {
  expect(makeTotpUrl('ABC', 'Acme & Sons', 'ann@example.com')).toBe(
    'otpauth://totp/Acme%20%26%20Sons:ann%40example.com?secret=ABC&issuer=Acme%20%26%20Sons',
  )
})

test.each([
  ['Praxis: Dr. Weiß', 'ann@example.com', 'Praxis%20Dr.%20Wei%C3%9F:ann%40example.com'],
  ['https://sms.example.com:8090', 'a', 'https%20%2F%2Fsms.example.com%208090:a'],
  [
    '短信：中心',
    '"a:b"@example.com',
    '%E7%9F%AD%E4%BF%A1%20%E4%B8%AD%E5%BF%83:%22a%20b%22%40example.com',
  ],
  [' : ', 'ann@example.com', 'ann%40example.com'],
])(
  'the address of a QR code for %j has no colon but the one between its names',
  (issuer, person, label) => {
    const url = makeTotpUrl('ABC', issuer, person)
    expect(url.split('?')[0]).toBe(`otpauth://totp/${label}`)
    expect(url).not.toContain('%3A')
  },
)
