// Builds the console into console/dist, and the agent as a package beside it; `npm ci` runs this as
// `prepare`. JavaScript, as any Node must run it. Without vite (npm ci --omit=dev) there is nothing to do:
// the server then says at / how to build it. The first `npx pocketsms` of a user in a clone comes here, too,
// as npx installs the package that it stands in:
// it leaves a build that is there.
import { existsSync } from 'node:fs'
import { packAgent } from '../package/agent.js'

const isBuilt = existsSync(new URL('dist/index.html', import.meta.url))
const { npm_command, npm_lifecycle_event } = process.env
if (npm_command === 'exec' && isBuilt) {
  console.log('The console is built. To build it again: npm run prepare')
  process.exit()
}
// npm runs `prepack`, which has built it, before `prepare`
if (/^(pack|publish)$/.test(npm_command ?? '') && npm_lifecycle_event === 'prepare') process.exit()
let reason
const vite = await import('vite').catch((error) => {
  reason = String(error.message).split('\n', 1)[0]
})
if (vite) {
  await vite.build({
    configFile: new URL('vite.config.ts', import.meta.url).pathname,
    logLevel: 'warn',
  })
  await packAgent(vite)
} else console.log(`The console was not built: vite, a devDependency, cannot be loaded. ${reason}`)
