import { isPieceKind, type Param, type Sql, writePieceText } from './sql-pieces.ts'

interface ParamPlace {
  readonly index: number
  readonly cast: string
  readonly start: number
  readonly end: number
}

export interface SqlText {
  readonly text: string
  readonly places: readonly ParamPlace[]
}

export class Writer {
  readonly params: Param[] = []
  readonly #indexes = new Map<Param, number>()

  write(part: Sql): SqlText {
    let text = ''
    const places: ParamPlace[] = []
    for (const one of part) {
      const start = text.length
      if (!isPieceKind(one, 'param')) text += writePieceText(one)
      else {
        const index = this.index(one)
        text += `$${index + 1}::${one.cast}`
        places.push({ index, cast: one.cast, start, end: text.length })
      }
    }
    return { text, places }
  }

  index(param: Param): number {
    let index = this.#indexes.get(param)
    if (index === undefined) {
      index = this.params.push(param) - 1
      this.#indexes.set(param, index)
    }
    return index
  }
}
