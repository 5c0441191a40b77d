import type { Topic } from './topic.ts'

/** All topics that somebody is subscribed to: equal ones are one object, whoever named them. */
export class Topics {
  readonly #known = new Map<string, { readonly topic: Topic; uses: number }>()

  /** The topic to use in the place of an equal one, until `release`. */
  hold(topic: Topic): Topic {
    const entry = this.#known.get(topic.name) ?? { topic, uses: 0 }
    entry.uses++
    this.#known.set(topic.name, entry)
    return entry.topic
  }

  release({ name }: Topic): void {
    const entry = this.#known.get(name)
    if (entry && --entry.uses === 0) this.#known.delete(name)
  }
}
