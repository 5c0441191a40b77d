import { defineConfig } from 'vite'
import { makeCompressPlugin } from './compress.ts'
import { makeGrammarPlugin } from './grammar.ts'
import { makeMarkdownPlugin } from './markdown.ts'
import { makePreloadPlugin } from './preload.ts'

/** The server that `npm run console` passes API calls on to. */
const SERVER = process.env.POCKETSMS_URL ?? 'http://127.0.0.1:8090'

export default defineConfig({
  root: import.meta.dirname,
  base: './', // served at / and at /_/
  publicDir: 'public', // files of a fixed name
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'], // from there on browsers know light-dark()
    manifest: true,
    license: { fileName: 'licenses.md' }, // of what is bundled: package/pack.ts
    rollupOptions: {
      checks: { pluginTimings: false }, // advice for authors of plugins
      input: {
        index: `${import.meta.dirname}/index.html`,
        docs: `${import.meta.dirname}/docs.html`,
        // at the root, under one name for ever: a service worker's place is its scope, and its name its
        // identity
        sw: `${import.meta.dirname}/src/service-worker.ts`,
      },
      output: {
        // what every page needs is one file: small files compress worse, and each page's list names them all
        codeSplitting: {
          groups: [
            {
              name: 'first',
              tags: ['$initial'],
              // not the texts of the service worker, which cannot run the code of pages
              test: /console\/src\/(?:account|parts|data|language(?!\/\w+\/)|pages|shell)\/|node_modules\/(?:preact|@preact)/,
            },
            { name: 'phone', test: /libphonenumber|src\/portable\/phone\// },
            // the inbox with all that it needs at first: other pages load their parts from this file
            {
              name: 'inbox',
              test: /console\/src\/(?:pages\/conversations\/(?!view-dialog)|shell\/team-news)/,
            },
          ],
        },
        entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
      },
    },
    chunkSizeWarningLimit: 2_000, // kB: Swagger UI is one module
    assetsInlineLimit: 0, // the Content-Security-Policy lets nothing be inline
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': SERVER }, fs: { allow: ['..'] } },
  plugins: [makeGrammarPlugin(), makeMarkdownPlugin(), makePreloadPlugin(), makeCompressPlugin()],
})
