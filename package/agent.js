// Bundles the agent, with all that it needs, into the npm package console/dist/agent.tgz. A server hands it
// out, so that `npx http://SERVER/agent.tgz` runs it on any computer with Node, without a checkout.
// JavaScript, as any Node must run it.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const HOME = new URL('../', import.meta.url)
const FOLDER = fileURLToPath(new URL('console/dist/agent/', HOME))
const TARGET = fileURLToPath(new URL('console/dist/agent.tgz', HOME))

/** @param {typeof import('vite')} vite */
export async function packAgent(vite) {
  await vite.build({
    configFile: false,
    root: fileURLToPath(HOME),
    publicDir: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'src/main/agent-cli.ts',
      outDir: FOLDER,
      emptyOutDir: true,
      target: 'node20',
      minify: false,
      license: { fileName: 'licenses.md' },
      rollupOptions: { output: { entryFileNames: 'agent.js', codeSplitting: false } },
    },
  })
  const { version, license } = JSON.parse(readFileSync(new URL('package.json', HOME), 'utf8'))
  const about = {
    name: 'pocketsms-agent',
    version,
    description: 'Sends texts for a pocketsms server through a phone or modem on this computer.',
    license,
    type: 'module',
    bin: { 'pocketsms-agent': 'agent.js' },
    engines: { node: '>=20.3' },
  }
  const { createTarGzip } = await import('nanotar')
  const files = [
    { name: 'package/package.json', data: `${JSON.stringify(about, null, 2)}\n` },
    { name: 'package/agent.js', data: readFileSync(`${FOLDER}agent.js`) },
    { name: 'package/NOTICE.md', data: readFileSync(`${FOLDER}licenses.md`) },
  ]
  writeFileSync(TARGET, await createTarGzip(files, { attrs: { mtime: 0, mode: '644' } }))
  cpSync(`${FOLDER}licenses.md`, `${FOLDER}../agent-licenses.md`)
  rmSync(FOLDER, { recursive: true })
}
