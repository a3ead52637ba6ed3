// Accounts and slots that a call reads or writes. Follows eth/tracers/logger/access_list_tracer.go: an opcode
// counts even if it fails.
import { bytesToHex, hexToBytes } from '../../bytes.js'
import type { AccessListEntry } from '../../types/transaction.js'
import type { CheckTime } from '../call-clock.js'
import type { Execution, HostOperation } from '../interpreter/execution.js'
import type { Frame } from '../interpreter/frame.js'
import { hostOperations } from '../interpreter/host-operations.js'

/** What an opcode touches: the slot or the account that an operand names, if the stack has at least `needs` words. */
interface Touch {
  readonly kind: 'slot' | 'account'
  readonly operand: number
  readonly needs: number
}

const slot: Touch = { kind: 'slot', operand: 0, needs: 1 }
const account: Touch = { kind: 'account', operand: 0, needs: 1 }
const callee: Touch = { kind: 'account', operand: 1, needs: 5 }

const touches: ReadonlyMap<number, Touch> = new Map([
  [0x31, account], // BALANCE
  [0x3b, account], // EXTCODESIZE
  [0x3c, account], // EXTCODECOPY
  [0x3f, account], // EXTCODEHASH
  [0x54, slot], // SLOAD
  [0x55, slot], // SSTORE
  [0xf1, callee], // CALL
  [0xf2, callee], // CALLCODE
  [0xf4, callee], // DELEGATECALL
  [0xfa, callee], // STATICCALL
  [0xff, account], // SELFDESTRUCT
])

/** An access list that grows while a call runs. Addresses are 20 bytes, slots 32. */
export class TouchedList {
  /** Addresses that need no entry, in hex. */
  readonly #excluded: ReadonlySet<string>
  readonly #slots = new Map<string, Set<string>>()

  /** Begins with the entries, except those for excluded addresses. */
  constructor(entries: readonly AccessListEntry[], excluded: ReadonlySet<string>, checkTime: CheckTime) {
    this.#excluded = excluded
    for (const { address, storageKeys } of entries) {
      if (excluded.has(bytesToHex(address))) continue
      checkTime()
      const slots = this.#slotsOf(bytesToHex(address))
      for (const key of storageKeys) {
        slots.add(bytesToHex(key))
        checkTime()
      }
    }
  }

  /** The entries in ascending order of addresses and slots. */
  entries(): AccessListEntry[] {
    const sorted = [...this.#slots].sort(([a], [b]) => (a < b ? -1 : 1))
    return sorted.map(([address, slots]) => ({
      address: hexToBytes(address),
      storageKeys: [...slots].sort().map(hexToBytes),
    }))
  }

  equals(other: TouchedList): boolean {
    if (this.#slots.size !== other.#slots.size) return false
    for (const [address, slots] of this.#slots) {
      const others = other.#slots.get(address)
      if (others?.size !== slots.size) return false
      for (const slot of slots) if (!others.has(slot)) return false
    }
    return true
  }

  /** The operations of the host, which also record what they touch. */
  recordingOperations(): readonly (HostOperation | undefined)[] {
    return hostOperations.map((operation, opcode) => {
      const touch = touches.get(opcode)
      if (operation === undefined || touch === undefined) return operation
      return (execution, frame, code) => {
        const at = execution.operand(touch.operand) * 4
        this.#add(touch, frame, execution.machine.bytes.slice(at, at + 32))
        return operation(execution, frame, code)
      }
    })
  }

  /** Records what an opcode names that the core did not begin. */
  recordFault({ machine }: Execution, frame: Frame): void {
    const touch = touches.get(machine.codeByte(frame.header, machine.pc(frame.header)))
    if (touch === undefined || machine.stackDepth(frame.header) < touch.needs) return
    this.#add(touch, frame, machine.stackWord(frame.header, touch.operand))
  }

  /** Slots count for every account, also for excluded ones. */
  #add({ kind }: Touch, frame: Frame, word: Uint8Array): void {
    if (kind === 'slot') {
      this.#slotsOf(bytesToHex(frame.account.address)).add(bytesToHex(word))
      return
    }
    const address = bytesToHex(word.subarray(12))
    if (!this.#excluded.has(address)) this.#slotsOf(address)
  }

  #slotsOf(address: string): Set<string> {
    let slots = this.#slots.get(address)
    if (slots === undefined) {
      slots = new Set()
      this.#slots.set(address, slots)
    }
    return slots
  }
}
