// Decides which task gets the next worker: callers take turns; within a caller's turn its queries take turns; the tasks of one query go
// in the order in which they came. So a query of many tasks holds up others by one task at most, and a caller of many
// queries holds up other callers by no more than that.

/** Whose task it is. */
export interface TaskLane {
  /** The caller; a query without one is a caller by itself. */
  readonly caller?: object | undefined
  /** Tasks of one query name the same object; a task without one is a query by itself. */
  readonly query?: object
}

/** Queries of one caller with their items; the first query is next. No query is without items. */
type Queries<Item> = Map<object, Item[]>

/** Items that wait for their turn. */
export class TaskQueue<Item extends object> {
  /** The first caller is next. No caller is without queries. */
  readonly #callers = new Map<object, Queries<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Returns a function that removes the item if it still waits. */
  push(item: Item, { query = item, caller = query }: TaskLane = {}): () => void {
    let queries = this.#callers.get(caller)
    if (queries === undefined) {
      queries = new Map()
      this.#callers.set(caller, queries)
    }
    const items = queries.get(query)
    if (items === undefined) queries.set(query, [item])
    else items.push(item)
    this.#size++
    return () => this.#remove(item, query, caller)
  }

  /**
   * Takes the next item of the first caller, and of its first query, for which `may` is true; the caller's turn comes again when
   * all others have had theirs.
   */
  shift(may: (item: Item) => boolean = () => true): Item | undefined {
    for (const [caller, queries] of this.#callers) {
      for (const [query, items] of queries) {
        if (!may(items[0]!)) continue
        const item = items.shift()!
        queries.delete(query)
        if (items.length > 0) queries.set(query, items)
        this.#callers.delete(caller)
        if (queries.size > 0) this.#callers.set(caller, queries)
        this.#size--
        return item
      }
    }
    return undefined
  }

  #remove(item: Item, query: object, caller: object): void {
    const queries = this.#callers.get(caller)
    const items = queries?.get(query) ?? []
    const at = items.indexOf(item)
    if (at < 0) return
    items.splice(at, 1)
    if (items.length === 0) queries!.delete(query)
    if (queries!.size === 0) this.#callers.delete(caller)
    this.#size--
  }
}
