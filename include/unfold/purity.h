/**
 * @file
 * Partial loop purity elimination (Section III and Appendix A of "Awaiting for Godot", Jonsson,
 * Lång, Sagonas, FMCAD 2022). A front-end describes the control flow of a thread. The analysis
 * finds the conditions under which an iteration of a loop is pure, that is, does nothing but return
 * to where it began, and where the thread can be stopped in such an iteration: by an `assume` that
 * fails exactly in pure iterations, or by an `await` in place of the load that the condition tests.
 * The thread still reaches every local state from which it could do something else, but no longer
 * executes pure iterations.
 *
 * The order of calls: unf_flow_new(); then blocks, registers, terms, statements, phis and edges, in
 * any order in which each exists before it is named; then unf_purity_new(). After that the
 * description can be extended and analysed again.
 */
#ifndef UNFOLD_PURITY_H
#define UNFOLD_PURITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unfold/context.h>
#include <unfold/export.h>
#include <unfold/output.h>
#include <unfold/status.h>

UNF_BEGIN_DECLS

/** The control flow of one thread: a graph of basic blocks in static single assignment form. */
typedef struct unf_flow unf_flow;

/** What an analysis found in a flow. */
typedef struct unf_purity unf_purity;

/** A basic block; the first one made is where the thread begins. */
typedef uint32_t unf_block;
/** A register. It gets its value from one statement or from one phi; a register that has neither is
 * a parameter of the thread. */
typedef uint32_t unf_register;
/** An expression over registers and constants. Equal expressions have equal handles. */
typedef uint32_t unf_term;

/** No block. */
#define UNF_BLOCK_NONE UINT32_MAX
/** No register. */
#define UNF_REGISTER_NONE UINT32_MAX
/** No term; as the condition of an edge: always true. */
#define UNF_TERM_NONE 0u

/**
 * Every operator with its text: X(NAME, "text"). Values are signed 64-bit integers, arithmetic
 * wraps around, and comparisons and logical operators give 0 or 1: a term always has a value. What
 * can fail (a division, a checked sum) is a statement of its own, UNF_STATEMENT_COMPUTE.
 */
#define UNF_OPERATOR_TABLE(X)                                                                      \
  X(EQ, "==")                                                                                      \
  X(NE, "!=")                                                                                      \
  X(LT, "<")                                                                                       \
  X(LE, "<=")                                                                                      \
  X(GT, ">")                                                                                       \
  X(GE, ">=")                                                                                      \
  X(AND, "&&")                                                                                     \
  X(OR, "||")                                                                                      \
  X(ADD, "+")                                                                                      \
  X(SUB, "-")                                                                                      \
  X(MUL, "*")                                                                                      \
  X(BIT_AND, "&")                                                                                  \
  X(BIT_OR, "|")                                                                                   \
  X(BIT_XOR, "^")

/** The operators; UNF_OPERATOR_CONSTANT and UNF_OPERATOR_REGISTER are the leaves of a term. */
typedef enum unf_operator {
/** @cond */
#define UNF_OPERATOR_ENUM(name, text) UNF_OPERATOR_##name,
  UNF_OPERATOR_TABLE(UNF_OPERATOR_ENUM)
#undef UNF_OPERATOR_ENUM
  /** @endcond */
  UNF_OPERATOR_CONSTANT,
  UNF_OPERATOR_REGISTER
} unf_operator;

/** Operator and operands of a term. */
typedef struct unf_term_node {
  unf_operator op;       /**< what it is */
  unf_term left;         /**< first operand, of an operator */
  unf_term right;        /**< second operand */
  int64_t value;         /**< of a constant */
  unf_register variable; /**< of a register */
} unf_term_node;

/** Terms that a caller builds have at most this many nodes; a longer calculation goes through a
 * register, by UNF_STATEMENT_LOCAL. */
#define UNF_TERM_NODES_MAX 256

/**
 * Every kind of statement: X(NAME, "name"). The condition under which one changes nothing that
 * another thread, or the thread itself later, can see is its *guard*.
 *
 * | kind | does | guard |
 * |---|---|---|
 * | LOCAL | result = a | true |
 * | COMPUTE | result = anything computed from registers, or chosen | true |
 * | LOAD | result = value of a shared location | true |
 * | STORE | writes a shared location | false |
 * | FETCH_ADD | result = old value; a is added to it | a == 0 |
 * | EXCHANGE | result = old value; a is written | result == a |
 * | CAS | result = old value; when that is a, b is written | result != a |
 * | TRY | an operation that fails instead of blocking: result = 1 done, 0 failed | result == 0 |
 * | AWAIT | result = value of a shared location; blocks for a while or for ever | true |
 * | EXCHANGE_AWAIT | as AWAIT, then a is written | result == a |
 * | ASSUME, ASSERT | the thread goes on only if a is not 0 | a |
 * | EFFECT | anything else; result may be none | a |
 */
#define UNF_STATEMENT_TABLE(X)                                                                     \
  X(LOCAL, "local")                                                                                \
  X(COMPUTE, "compute")                                                                            \
  X(LOAD, "load")                                                                                  \
  X(STORE, "store")                                                                                \
  X(FETCH_ADD, "fetch-add")                                                                        \
  X(EXCHANGE, "exchange")                                                                          \
  X(CAS, "cas")                                                                                    \
  X(TRY, "try")                                                                                    \
  X(AWAIT, "await")                                                                                \
  X(EXCHANGE_AWAIT, "exchange-await")                                                              \
  X(ASSUME, "assume")                                                                              \
  X(ASSERT, "assert")                                                                              \
  X(EFFECT, "effect")

/** The kinds of statements. */
typedef enum unf_statement_kind {
/** @cond */
#define UNF_STATEMENT_ENUM(name, text) UNF_STATEMENT_##name,
  UNF_STATEMENT_TABLE(UNF_STATEMENT_ENUM)
#undef UNF_STATEMENT_ENUM
  /** @endcond */
  UNF_STATEMENT_KIND_COUNT
} unf_statement_kind;

/** The name of a kind, in static storage; "?" for a value that is not one. O(1). */
UNF_API const char *unf_statement_text(unf_statement_kind kind);

/** Flag of a statement that may fail or block (an access through a pointer, a division, a join): a
 * thread on its way to it must not be stopped before it. Implied for AWAIT and EXCHANGE_AWAIT. */
#define UNF_STATEMENT_MAY_FAIL 1u
/** Flag of a statement that is not an event (a plain load), so that it cannot become an await. */
#define UNF_STATEMENT_PLAIN 2u

/** A statement. Initialise with UNF_STATEMENT_INIT(kind). */
typedef struct unf_statement {
  uint32_t size;           /**< sizeof(unf_statement) */
  unf_statement_kind kind; /**< from the table */
  unf_register result;     /**< the register that it gives a value, or UNF_REGISTER_NONE */
  unf_term a;              /**< operand, see the table; counts as used even if not needed */
  unf_term b;              /**< second operand */
  /** Any term with the registers that choose the location, such as an index; UNF_TERM_NONE: the
   * location is fixed. */
  unf_term where;
  uint32_t flags; /**< UNF_STATEMENT_MAY_FAIL, UNF_STATEMENT_PLAIN (0) */
  uint64_t place; /**< a cookie of the front-end, such as a line; 0: none (0) */
} unf_statement;

/** A statement of a kind, with all other fields at their defaults. */
#define UNF_STATEMENT_INIT(kind)                                                                   \
  {                                                                                                \
    sizeof(unf_statement), (kind), UNF_REGISTER_NONE, UNF_TERM_NONE, UNF_TERM_NONE, UNF_TERM_NONE, \
        0, 0                                                                                       \
  }

/** Makes a description without blocks. *out is owned by the caller. Errors: UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_flow_new(unf_context *context, unf_flow **out);

/** Frees a description, after the analyses of it; NULL does nothing. O(size). */
UNF_API void unf_flow_free(unf_flow *flow);

/** Adds a block. The name is copied, for listings; NULL: its number. Errors: UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(length of the name). */
UNF_API unf_status unf_flow_block(unf_flow *flow, const char *name, unf_block *out);

/** Adds a register. The name is copied, for listings; NULL: its number. Errors: UNF_INVALID,
 * UNF_MEMORY, UNF_LIMIT. O(length of the name). */
UNF_API unf_status unf_flow_register(unf_flow *flow, const char *name, unf_register *out);

/** Appends a statement to a block. Errors: UNF_INVALID (an operand or the result is missing or
 * unknown, the register has its value from elsewhere), UNF_MEMORY, UNF_LIMIT. O(1) amortised. */
UNF_API unf_status unf_flow_statement(unf_flow *flow, unf_block block,
                                      const unf_statement *statement);

/** Makes a register a phi of a block: its value depends on the block from which this
 * one was entered. The first block has no phis. Errors: UNF_INVALID, UNF_MEMORY,
 * UNF_LIMIT. O(1) amortised. */
UNF_API unf_status unf_flow_phi(unf_flow *flow, unf_block block, unf_register result);

/** Sets the value of a phi for the edges from one block: a term over the values at the end of that
 * block. All phis of a block take their values at once. Errors: UNF_INVALID (not a phi, or already
 * set), UNF_MEMORY, UNF_LIMIT. O(operands of the phi). */
UNF_API unf_status unf_flow_phi_operand(unf_flow *flow, unf_register phi, unf_block from,
                                        unf_term value);

/**
 * Adds an edge after those that already leave the block: it is taken if none of them is taken and
 * its condition is not 0. An edge with the condition UNF_TERM_NONE is always taken then, and must
 * be the last one. If no edge is taken, and in a block without edges, the thread ends. Errors:
 * UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1) amortised.
 */
UNF_API unf_status unf_flow_edge(unf_flow *flow, unf_block from, unf_block to, unf_term condition);

/** A constant. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_term_constant(unf_flow *flow, int64_t value, unf_term *out);

/** The value of a register. Errors: UNF_INVALID, UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_term_register(unf_flow *flow, unf_register variable, unf_term *out);

/** An operator applied to two terms; constants are folded. Errors: UNF_INVALID (also for more than
 * UNF_TERM_NODES_MAX nodes), UNF_MEMORY, UNF_LIMIT. O(1). */
UNF_API unf_status unf_term_apply(unf_flow *flow, unf_operator op, unf_term left, unf_term right,
                                  unf_term *out);

/** Operator and operands of a term. Errors: UNF_INVALID. O(1). */
UNF_API unf_status unf_term_view(const unf_flow *flow, unf_term term, unf_term_node *out);

/** The value of a term, with the values of its registers from a function.
 * Errors: UNF_INVALID. O(nodes). */
UNF_API unf_status unf_term_evaluate(const unf_flow *flow, unf_term term,
                                     int64_t (*value)(void *user, unf_register variable),
                                     void *user, int64_t *out);

/** Writes a term with the names of its registers. As with snprintf(), the text is cut to the
 * size of the buffer and terminated, and the result is the length of the whole text; 0 for an
 * unknown term. O(nodes). */
UNF_API size_t unf_term_text(const unf_flow *flow, unf_term term, char *buffer, size_t size);

/** Bounds of the analysis. A condition that exceeds them is replaced by false, which is sound, but
 * keeps pure iterations. Initialise with UNF_PURITY_OPTIONS_INIT. */
typedef struct unf_purity_options {
  uint32_t size;      /**< sizeof(unf_purity_options) */
  uint32_t disjuncts; /**< ways through an iteration, 1 … 64 (16) */
  uint32_t conjuncts; /**< comparisons on one way, 1 … 64 (16) */
} unf_purity_options;

/** The defaults. */
#define UNF_PURITY_OPTIONS_INIT                                                                    \
  { sizeof(unf_purity_options), 16, 16 }

/** A loop: all cycles through a header that dominates their blocks. */
typedef struct unf_loop {
  unf_block header; /**< where an iteration begins */
  uint32_t parent;  /**< the smallest loop around it, or UINT32_MAX */
  uint32_t depth;   /**< 1 if it is in no other loop */
  uint32_t blocks;  /**< number of blocks of the loop and its inner loops */
  bool irreducible; /**< has a cycle that can be entered at two places; not analysed */
  /** An iteration is pure exactly if this holds in it and no iteration of an inner loop is
   * completed in it; the constant 0 if no iteration is known to be pure. */
  unf_term condition;
  uint32_t insertions; /**< number of places where the thread is to be stopped */
  uint32_t remarks;    /**< number of ways through an iteration that are not pure */
} unf_loop;

/**
 * Where to stop a thread in pure iterations: before statement `before` of the block (its number of
 * statements: before its edges), insert `assume(!condition)`. Registers that have no value yet when
 * the place is reached on another way can have any value there. If `inner` is set, the thread must
 * be stopped only while no iteration of an inner loop was completed since the header: insert
 * `assume(!condition || inner)`, with a flag that is cleared at the header and set on each edge for
 * which unf_purity_edge() returns true.
 */
typedef struct unf_insertion {
  uint32_t loop;      /**< the loop, by its number */
  unf_block block;    /**< the block */
  uint32_t before;    /**< the statement */
  unf_term condition; /**< over registers */
  bool inner;         /**< the flag is needed */
  /**
   * The statement before the place is a load, exchange, compare-and-swap or try-operation that the
   * condition tests, and can become an await: an operation that blocks until the condition would be
   * false for its result (a try-operation: until it succeeds), so that the assume is not needed.
   */
  bool await;
  /** For an await whose condition is a single comparison: it waits for a result that is in this
   * relation to `operand`, whose value is known before the statement. */
  unf_operator relation;
  unf_term operand; /**< UNF_TERM_NONE: the condition is not a single comparison */
  /** For an await: if it blocks for ever, the loop would have run for ever, in any order of the
   * threads. If not set, the loop could have read something else in its next iteration. */
  bool livelock;
} unf_insertion;

/** Why a way through an iteration is not pure: X(NAME, "text"). */
#define UNF_IMPURITY_TABLE(X)                                                                      \
  X(EFFECT, "the statement changes what others can see")                                           \
  X(CHANGED, "a register that is used later changes its value")                                    \
  X(CONTRADICTION, "the way back cannot be taken with every register unchanged")                   \
  X(INNER, "an inner loop goes round")                                                             \
  X(IRREDUCIBLE, "a cycle can be entered at two places")                                           \
  X(DISJUNCTS, "more ways than the bound on disjuncts allows")                                     \
  X(CONJUNCTS, "more comparisons than the bound on conjuncts allows")

/** Why a way through an iteration is not pure. */
typedef enum unf_impurity {
/** @cond */
#define UNF_IMPURITY_ENUM(name, text) UNF_IMPURITY_##name,
  UNF_IMPURITY_TABLE(UNF_IMPURITY_ENUM)
#undef UNF_IMPURITY_ENUM
  /** @endcond */
  UNF_IMPURITY_COUNT
} unf_impurity;

/** Why a way through an iteration is not pure, and where. */
typedef struct unf_remark {
  uint32_t loop;         /**< the loop, by its number */
  unf_impurity why;      /**< the reason */
  unf_block block;       /**< the block; for CHANGED and INNER that whose edge goes back */
  uint32_t statement;    /**< for EFFECT: its number in the block; else UINT32_MAX */
  unf_register variable; /**< for CHANGED: the register; else UNF_REGISTER_NONE */
} unf_remark;

/**
 * Analyses all loops. options may be NULL. On success *out is owned by the caller, and must be
 * freed before the flow. Blocks that cannot be reached are ignored. Errors: UNF_INVALID (the
 * options, no block, a register that is used where it has no value on some way, a phi that lacks an
 * operand: the detail's text names it), UNF_MEMORY, UNF_LIMIT. O(loops · edges · disjuncts² ·
 * conjuncts²) at most.
 */
UNF_API unf_status unf_purity_new(unf_flow *flow, const unf_purity_options *options,
                                  unf_purity **out);

/** Frees an analysis; NULL does nothing. O(loops). */
UNF_API void unf_purity_free(unf_purity *purity);

/** Number of loops; loops are numbered from 0, outer ones before inner ones. O(1). */
UNF_API uint32_t unf_purity_loops(const unf_purity *purity);

/** A loop by its number. Error: UNF_INVALID. O(1). */
UNF_API unf_status unf_purity_loop(const unf_purity *purity, uint32_t loop, unf_loop *out);

/** Whether a block belongs to a loop; false if the block or the loop is unknown. O(1). */
UNF_API bool unf_purity_contains(const unf_purity *purity, uint32_t loop, unf_block block);

/** Whether an edge goes back to the header of an inner loop of the given loop, and so sets the flag
 * of its insertions (unf_insertion.inner). False for an unknown loop or block. O(loops). */
UNF_API bool unf_purity_edge(const unf_purity *purity, uint32_t loop, unf_block from, unf_block to);

/** Number of insertions of all loops; those of one loop have consecutive numbers. O(1). */
UNF_API uint32_t unf_purity_insertions(const unf_purity *purity);

/** An insertion by its number. Error: UNF_INVALID. O(1). */
UNF_API unf_status unf_purity_insertion(const unf_purity *purity, uint32_t index,
                                        unf_insertion *out);

/** Number of remarks of all loops; those of one loop have consecutive numbers. O(1). */
UNF_API uint32_t unf_purity_remarks(const unf_purity *purity);

/** A remark by its number. Error: UNF_INVALID. O(1). */
UNF_API unf_status unf_purity_remark(const unf_purity *purity, uint32_t index, unf_remark *out);

/** A sentence for a reason, in static storage; "?" for a value that is not one. O(1). */
UNF_API const char *unf_impurity_text(unf_impurity why);

/** Writes the results as text: for each loop, when its iterations are pure, what to insert,
 * and why other ways are not pure (doc/purity.md has an example). Errors: UNF_WRITE,
 * UNF_MEMORY, UNF_LIMIT. O(length). */
UNF_API unf_status unf_purity_write(const unf_purity *purity, unf_write write, void *user);

UNF_END_DECLS

#endif
