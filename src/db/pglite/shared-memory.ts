import { concatBytes } from './bytes.ts'

const IMPORT_SECTION = 2
/** Kinds of an import, as WebAssembly's binary format numbers them. */
const [FUNCTION, TABLE, MEMORY, GLOBAL] = [0, 1, 2, 3]
const [HAS_MAXIMUM, IS_SHARED] = [1, 2]
/** 4 GB, more than any memory has. */
const MAX_PAGES = 65_536

/** The parts of WebAssembly's JavaScript interface that are replaced. */
interface Api {
  Memory: new (descriptor: object) => object
  Module: new (bytes: Uint8Array) => object
  instantiate(source: object, imports: object): Promise<object>
}
const api = (globalThis as unknown as { WebAssembly: Api }).WebAssembly

/**
 * Makes every WebAssembly module and memory of this thread use shared memory, so that another thread can
 * write a variable of Postgres while a statement runs: this is how a statement is canceled (see worker.ts).
 * Modules that were built for memory of their own run unchanged on shared memory; only the description of the
 * memory that they import differs.
 */
export function shareMemory(): void {
  const { Memory, Module, instantiate } = api
  api.Memory = new Proxy(Memory, {
    construct: (target, [descriptor]) => new target({ ...descriptor, shared: true }),
  })
  api.Module = new Proxy(Module, { construct: (target, [bytes]) => new target(importingShared(bytes)) })
  api.instantiate = (source, imports) =>
    instantiate(source instanceof Module ? source : importingShared(source as Uint8Array), imports)
}

/**
 * A copy of a module that imports shared memory; a plain copy where it imports none. Throws a RangeError for
 * bytes that are no module. WebAssembly Core Specification 5.5.5 (import section); the flag for shared memory
 * is from the threads proposal.
 */
export function importingShared(module: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.from(module)
  const reader = new Reader(bytes)
  reader.at = 8 // after the magic number and the version
  while (reader.at < bytes.length) {
    const section = reader.byte()
    const sizeAt = reader.at
    const size = reader.number()
    const [start, end] = [reader.at, reader.at + size]
    const memory = section === IMPORT_SECTION ? findMemory(reader) : undefined
    if (memory) {
      const limits = [HAS_MAXIMUM | IS_SHARED, ...leb128(memory.minimum), ...leb128(memory.maximum)]
      const body = [...bytes.subarray(start, memory.at), ...limits, ...bytes.subarray(memory.end, end)]
      const [before, after] = [bytes.subarray(0, sizeAt), bytes.subarray(end)]
      return concatBytes([before, Uint8Array.from(leb128(body.length)), Uint8Array.from(body), after])
    }
    reader.at = end
  }
  return bytes
}

/**
 * The limits of a memory that is imported, in pages, and where they stand. Shared memory has a maximum
 * always.
 */
interface MemoryImport {
  readonly at: number
  readonly end: number
  readonly minimum: number
  readonly maximum: number
}

/** The memory in an import section; undefined if there is none. A module imports one at most. */
function findMemory(reader: Reader): MemoryImport | undefined {
  for (let left = reader.number(); left > 0; left--) {
    reader.name()
    reader.name()
    const kind = reader.byte()
    if (kind === MEMORY) {
      const at = reader.at
      const [minimum, maximum = MAX_PAGES] = reader.limits()
      return { at, end: reader.at, minimum, maximum }
    }
    if (kind === FUNCTION) reader.number()
    else if (kind === GLOBAL) reader.at += 2
    else if (kind === TABLE) {
      reader.byte()
      reader.limits()
    } else {
      reader.byte() // a tag
      reader.number()
    }
  }
  return undefined
}

/** An unsigned number as WebAssembly writes it. */
function leb128(value: number): number[] {
  const low = value & 0x7f
  return value < 0x80 ? [low] : [low | 0x80, ...leb128(value >>> 7)]
}

class Reader {
  at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new RangeError('a WebAssembly module ends too early')
    return byte
  }

  /** An unsigned LEB128 number. */
  number(): number {
    let result = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      result += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return result
    }
  }

  /** Passes over a name. */
  name(): void {
    const length = this.number()
    this.at += length
  }

  limits(): [minimum: number, maximum?: number] {
    const flags = this.number()
    const minimum = this.number()
    return flags & HAS_MAXIMUM ? [minimum, this.number()] : [minimum]
  }
}
