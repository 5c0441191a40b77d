// Builds the console into console/dist; `npm ci` runs this as `prepare`. JavaScript, as any Node must run it. Without
// vite (npm ci --omit=dev) there is nothing to do: the server then says at / how to build it.
const vite = await import('vite').catch(() => undefined)
if (vite)
  await vite.build({ configFile: new URL('vite.config.ts', import.meta.url).pathname, logLevel: 'warn' })
else console.log('vite is not installed (it is a devDependency): the console was not built.')
