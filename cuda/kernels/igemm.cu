/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 the yolov10detect authors */

/* Convolutions on tensor cores. A network of one image has about one block for each
 * multiprocessor, so what counts is how long one block takes: all of its stages are on
 * their way before anything else happens, the bias waits in the sums, and a step has
 * neither division nor bounds beyond a bit for each tap of the kernel.
 *
 * A row of a step is 64 numbers, or 32 floats, 8 chunks of 16 bytes, whose places are
 * exchanged by the row's number so that no bank is met twice. A thread always loads the
 * same chunk of its rows, so that it follows one place in the depth. */

#include "igemm.cuh"

extern __shared__ uint4 y10_igemm_shared[];

/* Fetch: from global to shared memory, one chunk of each of its rows of pixels and of
 * weights a thread. On sm_75, registers hold the next step while one is computed. */
template <typename T, int BM, int BN, int THREADS, int STAGES, int SIZE>
struct Y10IgemmFetch
{
  static constexpr int ROW = Y10_IGEMM_ROW_BYTES, STEP = ROW / sizeof (T);
  static constexpr int CHUNKS = 8, CHUNK = STEP / CHUNKS;
  static constexpr int PASS = THREADS / CHUNKS; /* rows */
  static constexpr int PA = BM / PASS, PB = BN / PASS;
  static constexpr int STAGE = (BM + BN) * ROW;

  static_assert (BM % PASS == 0 && BN % PASS == 0 && PASS % 8 == 0, "");

  const unsigned int shared;
  const int chunk, row;
  const unsigned int place; /* of its first chunk in a stage */
  const int channels;
  const T *const in;
  /* Of the step that is fetched next. Weights: the rows, whether they exist, and the
   * depth. Pixels: the rows, a bit for each tap that is inside of the picture, and the
   * step's tap and channel. */
  const T *weights[PB], *pixels[PA];
  unsigned int have, taps[PA];
  int depth, tap, channel;
#if __CUDA_ARCH__ >= 800
  unsigned int from, to; /* the stages that are computed and fetched next */
#else
  uint4 next[PA + PB];
#endif

  __device__ __forceinline__
  Y10IgemmFetch (const Y10KIgemm &p, int tid)
      : shared (y10_shared_address (y10_igemm_shared)), chunk (tid % CHUNKS),
        row (tid / CHUNKS),
        place ((unsigned int) (row * ROW + (chunk ^ (row & 7)) * 16)),
        channels (p.in.channels), in ((const T *) p.in.data)
  {
  }

  __device__ __forceinline__ void
  find_weights (const Y10KIgemm &p, int n0)
  {
    depth = chunk * CHUNK;
    have = 0;
#pragma unroll
    for (int i = 0; i < PB; i++) {
      const int n = n0 + row + i * PASS;

      weights[i] = (const T *) p.weight + (long long) n * p.depth
          + chunk * CHUNK;
      have |= (n < p.out.channels) << i;
    }
  }

  __device__ __forceinline__ void
  find_pixels (const Y10KIgemm &p, int m0)
  {
    tap = 0;
    channel = chunk * CHUNK;
    while (channel >= channels) {
      channel -= channels;
      tap++;
    }
#pragma unroll
    for (int i = 0; i < PA; i++) {
      const int m = m0 + row + i * PASS;
      const int image = (int) y10_divide ((unsigned int) m, p.pixels);
      const int pixel = m - image * (int) p.pixels.by;
      const int out_y = (int) y10_divide ((unsigned int) pixel, p.width);
      const int y = out_y * p.stride - p.pad;
      const int x = (pixel - out_y * (int) p.width.by) * p.stride - p.pad;

      pixels[i] = in + image * p.in.image
          + (long long) (y * p.in.width + x) * p.in.pixel;
      taps[i] = 0;
      if (m < p.n_pixels) {
#pragma unroll
        for (int ky = 0; ky < SIZE; ky++)
#pragma unroll
          for (int kx = 0; kx < SIZE; kx++)
            taps[i] |= (unsigned int) ((unsigned int) (y + ky)
                               < (unsigned int) p.in.height
                           && (unsigned int) (x + kx)
                               < (unsigned int) p.in.width)
                << (ky * SIZE + kx);
      }
    }
  }

  /* The chunk at @from for a row of the stage at @at, pixels first; zeros if not @have. */
  __device__ __forceinline__ void
  load (unsigned int at, int first, const T *from, bool have)
  {
#if __CUDA_ARCH__ >= 800
    y10_copy16 (at + first * ROW + place, from, have);
#else
    next[first / PASS] = have ? *(const uint4 *) from : make_uint4 (0, 0, 0, 0);
#endif
  }

  __device__ __forceinline__ void
  load_weights (const Y10KIgemm &p, unsigned int at)
  {
    const bool inside = depth < p.depth;

#pragma unroll
    for (int i = 0; i < PB; i++) {
      load (at, BM + i * PASS, weights[i], inside && have >> i & 1);
      weights[i] += STEP;
    }
    depth += STEP;
  }

  __device__ __forceinline__ void
  load_pixels (const Y10KIgemm &p, unsigned int at)
  {
    const int ky = SIZE == 1 ? 0 : tap * 11 >> 5,
              kx = SIZE == 1 ? 0 : tap - 3 * ky;
    const int from = (SIZE == 1 ? 0 : (ky * p.in.width + kx) * p.in.pixel)
        + channel;

#pragma unroll
    for (int i = 0; i < PA; i++)
      load (at, i * PASS, pixels[i] + from, taps[i] >> tap & 1);
    tap += p.step_taps;
    channel += p.step_channels;
    if (channel >= channels) {
      channel -= channels;
      tap++;
    }
  }

  /* The first weights go first: they wait for no arithmetic. */
  __device__ __forceinline__ void
  begin (const Y10KIgemm &p, int m0, int n0)
  {
    find_weights (p, n0);
    load_weights (p, shared);
    find_pixels (p, m0);
    load_pixels (p, shared);
#if __CUDA_ARCH__ >= 800
    y10_copies_commit ();
#pragma unroll
    for (int s = 1; s < STAGES - 1; s++) {
      if (s < p.steps) {
        load_weights (p, shared + s * STAGE);
        load_pixels (p, shared + s * STAGE);
      }
      y10_copies_commit ();
    }
    from = shared;
    to = shared + (STAGES - 1) * STAGE;
#endif
  }

  /* Waits until step @k is in shared memory; returns where. */
  __device__ __forceinline__ unsigned int
  wait (const Y10KIgemm &p, int k)
  {
#if __CUDA_ARCH__ >= 800
    y10_copies_wait<STAGES - 2> ();
    __syncthreads ();
    return from;
#else
    char *to = (char *) y10_igemm_shared + (k & 1) * STAGE + place;

#pragma unroll
    for (int i = 0; i < PA + PB; i++)
      *(uint4 *) (to + i * PASS * ROW) = next[i];
    __syncthreads ();
    if (k + 1 < p.steps) {
      load_weights (p, 0);
      load_pixels (p, 0);
    }
    return shared + (k & 1) * STAGE;
#endif
  }

  /* What is fetched while step @k is computed. */
  __device__ __forceinline__ void
  ahead (const Y10KIgemm &p, int k)
  {
#if __CUDA_ARCH__ >= 800
    if (k + STAGES - 1 < p.steps) {
      load_weights (p, to);
      load_pixels (p, to);
    }
    y10_copies_commit ();
    to = from;
    from = from == shared + (STAGES - 1) * STAGE ? shared : from + STAGE;
#endif
  }

  __device__ __forceinline__ void
  end ()
  {
#if __CUDA_ARCH__ >= 800
    y10_copies_wait<0> ();
#endif
  }
};

/* Multiply: adds the products of a step. Its matrices if they are few, else half or a
 * quarter of them, then what can go on beside them, then the products. Two blocks of 256
 * threads need their registers. @a_at, @b_at: as for y10_load_part (). */
template <typename How, int THREADS, int SETS, int MT, int NT, typename Beside>
__device__ __forceinline__ void
y10_igemm_multiply (float (&sum)[SETS][MT][NT][4], unsigned int a_at,
    unsigned int b_at, int lane, Beside beside)
{
  constexpr int PARTS = Y10_IGEMM_ROW_BYTES / 32,
                HELD = MT * NT <= 4 ? PARTS
      : THREADS > 128               ? PARTS / 4
                                    : PARTS / 2;
  unsigned int a[HELD][MT][4], b[HELD][NT / 2][4];

#pragma unroll
  for (int k = 0; k < PARTS + HELD; k++) {
    if (k == HELD)
      beside ();
    if (k >= HELD)
      y10_products (How (), sum[k % SETS], a[k % HELD], b[k % HELD]);
    if (k < PARTS)
      y10_load_part (a[k % HELD], b[k % HELD], a_at, b_at, k, lane);
  }
}

/* Store: from sums to global memory, 8 channels of a pixel a lane at a time: of one of
 * four columns of 8, or of two, and of two rows. */
template <typename T, int SIZE, int MT, int NT> struct Y10IgemmStore
{
  const int m, n, lane; /* the warp's first pixel and channel */

  __device__ __forceinline__ int
  pixel (int i, int g) const
  {
    return m + i * 16 + (NT == 2 ? lane >> 1 & 1 : g & 1) * 8 + (lane >> 2);
  }

  __device__ __forceinline__ int
  channel (int g) const
  {
    return n + (NT == 2 ? lane & 1 : g / 2 * 4 + (lane & 3)) * 8;
  }

  __device__ __forceinline__ bool
  is_inside (const Y10KIgemm &p, int i, int g) const
  {
    return pixel (i, g) < p.n_pixels && channel (g) < p.out.channels;
  }

  __device__ __forceinline__ long long
  place (const Y10KIgemm &p, const Y10KView &view, int i, int g) const
  {
    const int image = (int) y10_divide ((unsigned int) pixel (i, g), p.pixels);

    return image * view.image
        + (long long) (pixel (i, g) - image * (int) p.pixels.by) * view.pixel
        + channel (g);
  }

  /* The first of the four pixels that become of one. */
  __device__ __forceinline__ T *
  up (const Y10KIgemm &p, int i, int g) const
  {
    const int image = (int) y10_divide ((unsigned int) pixel (i, g), p.pixels);
    const int at = pixel (i, g) - image * (int) p.pixels.by;
    const int y = (int) y10_divide ((unsigned int) at, p.width);

    return y10_at<T> (p.up, image, 2 * y, 2 * (at - y * (int) p.width.by))
        + channel (g);
  }

  /* While the first steps are on their way: the bias, with which the sums begin, and
   * what is to be added. */
  template <int SETS>
  __device__ __forceinline__ void
  begin (const Y10KIgemm &p, float (&sum)[SETS][MT][NT][4],
      Y10Raw<T, 8> (&add)[MT][NT / 2]) const
  {
#pragma unroll
    for (int j = 0; j < NT; j++) {
      const int c = n + j * 8 + (lane & 3) * 2;
      const float2 bias = c < p.out.channels ? *(const float2 *) (p.bias + c)
                                             : make_float2 (0, 0);

#pragma unroll
      for (int s = 0; s < SETS; s++)
#pragma unroll
        for (int i = 0; i < MT; i++) {
          sum[s][i][j][0] = sum[s][i][j][2] = s ? 0 : bias.x;
          sum[s][i][j][1] = sum[s][i][j][3] = s ? 0 : bias.y;
        }
    }
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
      for (int g = 0; g < NT / 2; g++)
        if (p.add.data && is_inside (p, i, g))
          add[i][g] = y10_load_raw<T, 8> (
              (const T *) p.add.data + place (p, p.add, i, g));
  }

  template <int SETS>
  __device__ __forceinline__ void
  end (const Y10KIgemm &p, const float (&sum)[SETS][MT][NT][4],
      const Y10Raw<T, 8> (&add)[MT][NT / 2]) const
  {
#pragma unroll
    for (int i = 0; i < MT; i++)
#pragma unroll
      for (int g = 0; g < NT / 2; g++) {
        float four[4][2], v[8];

#pragma unroll
        for (int k = 0; k < 4; k++) {
          const int h = NT == 2 ? k / 2 : g & 1,
                    j = NT == 2 ? k % 2 : g / 2 * 4 + k;

#pragma unroll
          for (int c = 0; c < 2; c++) {
            four[k][c] = sum[0][i][j][2 * h + c];
#pragma unroll
            for (int s = 1; s < SETS; s++)
              four[k][c] += sum[s][i][j][2 * h + c];
          }
        }
        y10_exchange (four, v, lane);
        if (is_inside (p, i, g))
          finish (p, v, add[i][g], i, g);
      }
  }

  __device__ __forceinline__ void
  finish (const Y10KIgemm &p, float (&v)[8], const Y10Raw<T, 8> &add, int i,
      int g) const
  {
    if (p.silu) {
#pragma unroll
      for (int c = 0; c < 8; c++)
        v[c] = y10_silu<T> (v[c]);
    }
    if (p.add.data) {
      float more[8];

      y10_unpack (add, more);
#pragma unroll
      for (int c = 0; c < 8; c++)
        v[c] += more[c];
    }
    if (p.out_float)
      y10_store ((float *) p.out.data + place (p, p.out, i, g), v);
    else
      y10_store ((T *) p.out.data + place (p, p.out, i, g), v);
    if (SIZE == 1 && p.up.data) {
      const Y10Raw<T, 8> raw = y10_pack (v, T ());
      T *to = up (p, i, g);

      /* Not unrolled, for most convolutions skip it. */
#pragma unroll 1
      for (int k = 0; k < 2; k++, to += p.up.width * p.up.pixel) {
        y10_store_raw<T, 8> (to, raw);
        y10_store_raw<T, 8> (to + p.up.pixel, raw);
      }
    }
  }
};

/* BM by BN of the result, WM by WN of it a warp. */
template <typename How, int BM, int BN, int WM, int WN, int STAGES, int SIZE>
__device__ __forceinline__ void
y10_igemm (const Y10KIgemm &p)
{
  typedef typename How::Type T;
  constexpr int ROW = Y10_IGEMM_ROW_BYTES, THREADS = BM / WM * (BN / WN) * 32;
  constexpr int MT = WM / 16, NT = WN / 8;
  /* Few sums are computed twice, of even and odd parts of a step, because each has to
   * wait for the one before it. */
  constexpr int SETS = MT * NT == 2 ? 2 : 1;

  static_assert (WM % 16 == 0 && WN % 16 == 0 && (NT == 2 || NT % 4 == 0), "");
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
  const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
  Y10IgemmFetch<T, BM, BN, THREADS, STAGES, SIZE> fetch (p, tid);
  const Y10IgemmStore<T, SIZE, MT, NT> store = { m0 + wm, n0 + wn, lane };
  float sum[SETS][MT][NT][4];
  Y10Raw<T, 8> add[MT][NT / 2];

  fetch.begin (p, m0, n0);
  store.begin (p, sum, add);

  const unsigned int a_row = (unsigned int) ((wm + (lane & 15)) * ROW);
  const unsigned int b_row =
      (unsigned int) ((BM + wn + (lane & 7) + (lane >> 4) * 8) * ROW);

  /* Code that is not in the instruction cache would cost more than a branch. */
#pragma unroll 1
  for (int k = 0; k < p.steps; k++) {
    const unsigned int at = fetch.wait (p, k);

    y10_igemm_multiply<How, THREADS> (sum, at + a_row, at + b_row, lane,
        [&] { fetch.ahead (p, k); });
  }
  fetch.end ();
  store.end (p, sum, add);
}

/* y10_igemm_f16_64x32_k3 and so on. sm_75 has neither bf16 nor tf32. */
#define Y10_IGEMM_KERNEL(BM, BN, WM, WN, STAGES, type, SIZE, ...) \
  extern "C" __global__ void __launch_bounds__ (BM / WM * (BN / WN) * 32) \
      y10_igemm_##type##_##BM##x##BN##_k##SIZE (Y10KIgemm p) \
  { \
    __VA_ARGS__ ( \
        y10_igemm<Y10_IGEMM_TYPE_##type, BM, BN, WM, WN, STAGES, SIZE> (p);) \
  }
#define Y10_IGEMM_TYPE_f16 Y10Half<__half>
#define Y10_IGEMM_TYPE_bf16 Y10Half<__nv_bfloat16>
#define Y10_IGEMM_TYPE_tf32 Y10Tf32
#define Y10_IGEMM_TYPE_f32 Y10Fp32
#define Y10_IGEMM_DO(...) __VA_ARGS__
#if __CUDA_ARCH__ >= 800
#define Y10_IGEMM_DO_80(...) __VA_ARGS__
#else
#define Y10_IGEMM_DO_80(...)
#endif
#define Y10_IGEMM_KERNELS(...) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f16, 1, Y10_IGEMM_DO) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f16, 3, Y10_IGEMM_DO) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, bf16, 1, Y10_IGEMM_DO_80) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, bf16, 3, Y10_IGEMM_DO_80)
Y10_IGEMM_TILES (Y10_IGEMM_KERNELS)
#define Y10_IGEMM_FLOAT_KERNELS(...) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, tf32, 1, Y10_IGEMM_DO_80) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, tf32, 3, Y10_IGEMM_DO_80) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f32, 1, Y10_IGEMM_DO_80) \
  Y10_IGEMM_KERNEL (__VA_ARGS__, f32, 3, Y10_IGEMM_DO_80)
Y10_IGEMM_FLOAT_TILES (Y10_IGEMM_FLOAT_KERNELS)
