import { readFile } from 'node:fs/promises'
import peggy from 'peggy'
import type { Plugin } from 'vite'

/**
 * Makes a parser of each imported `.peggy` file: the filter language is written down once, for the server and
 * for us.
 */
export function makeGrammarPlugin(): Plugin {
  return {
    name: 'grammar',
    async load(id) {
      if (!id.endsWith('.peggy')) return
      this.addWatchFile(id)
      return peggy.generate(await readFile(id, 'utf8'), { output: 'source', format: 'es' })
    },
  }
}
