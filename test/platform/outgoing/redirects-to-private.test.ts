import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// A public host that redirects to private addresses: in a network of its own, where this machine has both.

const PUBLIC = '93.184.216.34'
const [LAN, METADATA] = ['10.0.0.5', '169.254.169.254']
const UNSHARE = ['-rn', 'sh', '-c']
const canUnshare = spawnSync('unshare', [...UNSHARE, 'ip link set lo up']).status === 0

/** What became of files at PUBLIC that redirect to the addresses. */
function followRedirects(targets: readonly string[]) {
  const folder = temporaryFolder()
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name))
  const names = `subjectAltName=${[PUBLIC, LAN, METADATA, '127.0.0.1'].map((ip) => `IP:${ip}`)}`
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const files = ['-nodes', '-keyout', key!, '-out', cert!, '-days', '1', '-subj', '/CN=files']
  execFileSync('openssl', [...request, ...files, '-addext', names], { stdio: 'ignore' })
  const network = [PUBLIC, LAN, METADATA].map((ip) => `ip addr add ${ip}/32 dev lo`)
  const script = ['ip link set lo up', ...network, 'exec "$@"'].join(' && ')
  const program = fileURLToPath(new URL('public-host.ts', import.meta.url))
  const command = [process.execPath, program, PUBLIC, folder, ...targets]
  const said = execFileSync('unshare', [...UNSHARE, script, 'sh', ...command], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
    encoding: 'utf8',
  })
  return said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test.runIf(canUnshare)('a redirect to a private address is not followed', () => {
  const found = followRedirects([
    `https://${PUBLIC}/file`,
    `https://${LAN}/file`,
    `https://${METADATA}/latest/meta-data`,
    'https://127.0.0.1/file',
    'https://2130706433/file',
    'https://[::ffff:10.0.0.5]/file',
    'https://localhost/file',
    `http://${PUBLIC}/file`,
    `//${LAN}/file`,
  ])
  const refused = (target: string, host: string) => ({
    target,
    outcome: `${host} is not an address of the internet`,
    asked: [PUBLIC],
  })
  expect(found).toEqual([
    { target: `https://${PUBLIC}/file`, outcome: 'file', asked: [PUBLIC, PUBLIC] },
    refused(`https://${LAN}/file`, LAN),
    refused(`https://${METADATA}/latest/meta-data`, METADATA),
    refused('https://127.0.0.1/file', '127.0.0.1'),
    refused('https://2130706433/file', '127.0.0.1'),
    refused('https://[::ffff:10.0.0.5]/file', '[::ffff:a00:5]'),
    refused('https://localhost/file', 'localhost'),
    { target: `http://${PUBLIC}/file`, outcome: `${PUBLIC} is not https`, asked: [PUBLIC] },
    refused(`//${LAN}/file`, LAN),
  ])
})
