import type { OpenableSet } from '../../vocabulary/value-sets.ts';
import { ownMember } from '../../foundation/table.ts';
import { isJsonObject } from '../../vocabulary/loose-payload.ts';

/** The part of JSON Schema, with our keywords, that wire schemas use. */
export interface SchemaNode {
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  /** False: unknown members are rejected (unknown-members.ts) instead of dropped. */
  additionalProperties?: boolean;
  items?: SchemaNode;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  enum?: string[];
  const?: string;
  format?: string;
  oneOf?: SchemaNode[];
  /** Of responses only: any of these. */
  anyOf?: SchemaNode[];
  discriminator?: { propertyName: string };
  /** Name of the value set, if an operator can open it for a supplier. */
  valueSet?: OpenableSet;
  /** Kept unchanged: nothing inside is validated, dropped or trimmed. */
  opaque?: boolean;
  /** The end of a period: 9999-12-31 counts as absent. */
  openEnd?: boolean;
  money?: { decimalPlacesMax?: number };
  /** Replaces the code for a number that is out of range. */
  faultCode?: string;
  /** Replaces the detail for a number that is out of range; `{value}` stands for the number. */
  rangeDetail?: string;
  /** Values outside the set that have their own code. */
  refusedChoices?: Record<string, string>;
  faultCap?: number;
  /** Values for the examples of the OpenAPI document. */
  examples?: readonly unknown[];
}

/** Returns whether a node allows a JSON type. */
export function allows(node: SchemaNode, type: string): boolean {
  return node.type === type || (Array.isArray(node.type) && node.type.includes(type));
}

/** Returns the node of a documented member; undefined for other names, including `constructor`. */
export function memberNode(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  return ownMember(node?.properties ?? {}, name) as SchemaNode | undefined;
}

/** A value of a payload, with its schema node. */
export interface Place {
  value: unknown;
  node: SchemaNode | undefined;
}

/** Follows a segment of a path. */
export function placeAt({ value, node }: Place, segment: string | number): Place {
  if (Array.isArray(value)) return { value: value[Number(segment)], node: node?.items };
  if (!isJsonObject(value)) return { value: undefined, node: undefined };
  const name = String(segment);
  return { value: ownMember(value, name), node: memberNode(node && variantFor(node, value), name) };
}

/** Returns the variant of a tagged object that a value's tag selects. */
export function variantFor(node: SchemaNode, value: Readonly<Record<string, unknown>>): SchemaNode | undefined {
  const tag = node.discriminator?.propertyName;
  if (tag === undefined) return node;
  const sent = value[tag];
  if (typeof sent !== 'string') return undefined;
  const trimmed = sent.trim();
  return node.oneOf?.find((variant) => variant.properties?.[tag]?.const === trimmed);
}
