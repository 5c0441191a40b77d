import { closeSync, openSync, readSync } from 'node:fs'
import { Tokenizer, TokenizerError, TokenParser, TokenParserError, TokenType } from '@streamparser/json'

const PIECE_BYTES = 256 << 10

/** An item of the list `name` in a JSON file's object; without `item`, the beginning of the list. */
export interface ListItem {
  readonly name: string
  readonly item: unknown
}

/** The file is no object of lists. `member`: the one that is no list; undefined if the file is no object. */
export class UnexpectedShape extends Error {
  readonly member: string | undefined
  constructor(member?: string) {
    super('not an object of lists')
    this.member = member
  }
}

/**
 * Reads the items of all lists in a JSON file's object one by one; at most PIECE_BYTES of them are in memory.
 * Throws a SyntaxError for invalid JSON, UnexpectedShape for another structure, and the system's errors.
 */
export function* readMembers(path: string): Generator<ListItem> {
  const lists = new ListParser()
  const file = openSync(path, 'r')
  const piece = Buffer.alloc(PIECE_BYTES)
  try {
    for (let length = readSync(file, piece); length > 0; length = readSync(file, piece))
      yield* lists.read(piece.subarray(0, length))
    lists.end()
  } finally {
    closeSync(file)
  }
}

const OPENING = new Set([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET])
const CLOSING = new Set([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET])

class ListParser {
  readonly #tokens = new Tokenizer()
  readonly #items = new TokenParser({ paths: ['$.*.*'], keepStack: false })
  #found: ListItem[] = []
  #name = ''
  #depth = 0
  #last: TokenType | undefined

  constructor() {
    this.#tokens.onToken = (token) => {
      this.#check(token.token)
      this.#items.write(token)
      this.#follow(token.token, token.value)
    }
    this.#items.onValue = ({ value }) => void this.#found.push({ name: this.#name, item: value })
  }

  /** The items that end in this piece of the file. */
  read(piece: Buffer): ListItem[] {
    this.#found = []
    try {
      this.#tokens.write(piece)
    } catch (error) {
      const isFault = error instanceof TokenizerError || error instanceof TokenParserError
      throw isFault ? new SyntaxError(error.message) : error
    }
    return this.#found
  }

  end(): void {
    if (!this.#items.isEnded) throw new SyntaxError('Unexpected end')
  }

  #check(token: TokenType): void {
    if (this.#last === undefined && token !== TokenType.LEFT_BRACE) throw new UnexpectedShape()
    const isMember = this.#depth === 1 && this.#last === TokenType.COLON
    if (isMember && token !== TokenType.LEFT_BRACKET) throw new UnexpectedShape(this.#name)
  }

  #follow(token: TokenType, value: unknown): void {
    if (this.#depth === 1 && token === TokenType.STRING) this.#name = String(value)
    if (OPENING.has(token) && ++this.#depth === 2) this.#found.push({ name: this.#name, item: undefined })
    if (CLOSING.has(token)) this.#depth--
    this.#last = token
  }
}
