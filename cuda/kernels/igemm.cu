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

/* BM by BN of the result, WM by WN of it a warp. */
template <typename How, int BM, int BN, int WM, int WN, int STAGES, int SIZE>
__device__ __forceinline__ void
y10_igemm (const Y10KIgemm &p)
{
  typedef typename How::Type T;
  constexpr int ROW = Y10_IGEMM_ROW_BYTES, STEP = ROW / sizeof (T);
  constexpr int CHUNKS = 8, CHUNK = STEP / CHUNKS,
                THREADS = BM / WM * (BN / WN) * 32;
  constexpr int PASS = THREADS / CHUNKS; /* rows */
  constexpr int PA = BM / PASS, PB = BN / PASS, MT = WM / 16, NT = WN / 8;
  constexpr int STAGE = (BM + BN) * ROW;
  constexpr int SETS = MT * NT == 2 ? 2 : 1;

  static_assert (BM % PASS == 0 && BN % PASS == 0 && PASS % 8 == 0, "");
  static_assert (WM % 16 == 0 && WN % 16 == 0 && (NT == 2 || NT % 4 == 0), "");
  extern __shared__ uint4 y10_igemm_shared[];
  const unsigned int shared = y10_shared_address (y10_igemm_shared);
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
  const int wm = warp / (BN / WN) * WM, wn = warp % (BN / WN) * WN;
  const int chunk = tid % CHUNKS, row = tid / CHUNKS, channels = p.in.channels;
  const T *const in = (const T *) p.in.data;

  /* The rows of weights that this thread loads; from their place in the depth. */
  const T *b_from[PB];
  unsigned int b_have = 0;
  int b_depth = chunk * CHUNK;

#pragma unroll
  for (int i = 0; i < PB; i++) {
    const int n = n0 + row + i * PASS;

    b_from[i] = (const T *) p.weight + (long long) n * p.depth + chunk * CHUNK;
    b_have |= (n < p.out.channels) << i;
  }

  const unsigned int place = (unsigned int) (row * ROW
      + (chunk ^ (row & 7)) * 16);

#if __CUDA_ARCH__ >= 800
  /* The first weights go first: they wait for no arithmetic. */
  auto fetch_b = [&] (unsigned int at) {
    const bool have = b_depth < p.depth;

#pragma unroll
    for (int i = 0; i < PB; i++) {
      y10_copy16 (at + (BM + i * PASS) * ROW + place, b_from[i],
          have && b_have >> i & 1);
      b_from[i] += STEP;
    }
    b_depth += STEP;
  };

  fetch_b (shared);
#endif

  /* Its rows of pixels, with a bit for each tap that is inside of the picture. */
  const T *a_from[PA];
  unsigned int a_taps[PA];
  int tap = 0, channel = chunk * CHUNK; /* of the step that is fetched next */

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

    a_from[i] = in + image * p.in.image
        + (long long) (y * p.in.width + x) * p.in.pixel;
    a_taps[i] = 0;
    if (m < p.n_pixels) {
#pragma unroll
      for (int ky = 0; ky < SIZE; ky++)
#pragma unroll
        for (int kx = 0; kx < SIZE; kx++)
          a_taps[i] |= (unsigned int) ((unsigned int) (y + ky)
                               < (unsigned int) p.in.height
                           && (unsigned int) (x + kx)
                               < (unsigned int) p.in.width)
              << (ky * SIZE + kx);
    }
  }
  auto a_offset = [&] {
    const int ky = SIZE == 1 ? 0 : tap * 11 >> 5,
              kx = SIZE == 1 ? 0 : tap - 3 * ky;

    return (SIZE == 1 ? 0 : (ky * p.in.width + kx) * p.in.pixel) + channel;
  };
  auto a_advance = [&] {
    tap += p.step_taps;
    channel += p.step_channels;
    if (channel >= channels) {
      channel -= channels;
      tap++;
    }
  };

#if __CUDA_ARCH__ >= 800
  auto fetch_a = [&] (unsigned int at) {
    const int from = a_offset ();

#pragma unroll
    for (int i = 0; i < PA; i++)
      y10_copy16 (at + i * PASS * ROW + place, a_from[i] + from,
          a_taps[i] >> tap & 1);
    a_advance ();
  };

  fetch_a (shared);
  y10_copies_commit ();
#pragma unroll
  for (int s = 1; s < STAGES - 1; s++) {
    if (s < p.steps) {
      fetch_b (shared + s * STAGE);
      fetch_a (shared + s * STAGE);
    }
    y10_copies_commit ();
  }
#else
  /* Registers hold the next step while this one is computed. */
  uint4 a_next[PA], b_next[PB];
  auto fetch = [&] {
    const bool have = b_depth < p.depth;
    const int from = a_offset ();

#pragma unroll
    for (int i = 0; i < PB; i++) {
      b_next[i] = have && b_have >> i & 1 ? *(const uint4 *) b_from[i]
                                          : make_uint4 (0, 0, 0, 0);
      b_from[i] += STEP;
    }
#pragma unroll
    for (int i = 0; i < PA; i++)
      a_next[i] = a_taps[i] >> tap & 1 ? *(const uint4 *) (a_from[i] + from)
                                       : make_uint4 (0, 0, 0, 0);
    b_depth += STEP;
    a_advance ();
  };

  fetch ();
#endif

  /* While these are on their way: the bias, with which the sums begin, and what is to
   * be added. Few sums are computed twice, of even and odd parts of a step, because
   * each has to wait for the one before it. */
  float sum[SETS][MT][NT][4];
  Y10Raw<T, 8> add[MT][NT / 2];

#pragma unroll
  for (int j = 0; j < NT; j++) {
    const int n = n0 + wn + j * 8 + (lane & 3) * 2;
    const float2 bias = n < p.out.channels ? *(const float2 *) (p.bias + n)
                                           : make_float2 (0, 0);

#pragma unroll
    for (int s = 0; s < SETS; s++)
#pragma unroll
      for (int i = 0; i < MT; i++) {
        sum[s][i][j][0] = sum[s][i][j][2] = s ? 0 : bias.x;
        sum[s][i][j][1] = sum[s][i][j][3] = s ? 0 : bias.y;
      }
  }
  /* A lane stores 8 channels of a pixel at a time: of one of four columns of 8, or of
   * two, and of two rows. */
  auto pixel_of = [&] (int i, int g) {
    return m0 + wm + i * 16 + (NT == 2 ? lane >> 1 & 1 : g & 1) * 8
        + (lane >> 2);
  };
  auto channel_of = [&] (int g) {
    return n0 + wn + (NT == 2 ? lane & 1 : g / 2 * 4 + (lane & 3)) * 8;
  };
  auto is_inside = [&] (int i, int g) {
    return pixel_of (i, g) < p.n_pixels && channel_of (g) < p.out.channels;
  };
  auto place_of = [&] (const Y10KView &view, int i, int g) {
    const int image = (int) y10_divide ((unsigned int) pixel_of (i, g),
        p.pixels);

    return image * view.image
        + (long long) (pixel_of (i, g) - image * (int) p.pixels.by) * view.pixel
        + channel_of (g);
  };

  /* The first of the four pixels that become of one. */
  auto up_of = [&] (int i, int g) {
    const int m = pixel_of (i, g),
              image = (int) y10_divide ((unsigned int) m, p.pixels);
    const int pixel = m - image * (int) p.pixels.by;
    const int y = (int) y10_divide ((unsigned int) pixel, p.width);

    return y10_at<T> (p.up, image, 2 * y, 2 * (pixel - y * (int) p.width.by))
        + channel_of (g);
  };

#pragma unroll
  for (int i = 0; i < MT; i++)
#pragma unroll
    for (int g = 0; g < NT / 2; g++)
      if (p.add.data && is_inside (i, g))
        add[i][g] = y10_load_raw<T, 8> (
            (const T *) p.add.data + place_of (p.add, i, g));

  const unsigned int a_row = (unsigned int) ((wm + (lane & 15)) * ROW);
  const unsigned int b_row =
      (unsigned int) ((BM + wn + (lane & 7) + (lane >> 4) * 8) * ROW);
  /* A step: its matrices if they are few, else half or a quarter of them, then what can go
   * on beside them, then the products. Two blocks of 256 threads need their registers. */
  auto multiply = [&] (unsigned int at, auto beside) {
    constexpr int DEPTH = CHUNKS / 2,
                  HELD = MT * NT <= 4 ? DEPTH
        : THREADS > 128               ? DEPTH / 4
                                      : DEPTH / 2;
    unsigned int a[HELD][MT][4], b[HELD][NT / 2][4];

#pragma unroll
    for (int k = 0; k < DEPTH + HELD; k++) {
      if (k == HELD)
        beside ();
      if (k >= HELD)
        y10_products (How (), sum[k % SETS], a[k % HELD], b[k % HELD]);
      if (k < DEPTH)
        y10_load_part (a[k % HELD], b[k % HELD], at + a_row, at + b_row, k,
            lane);
    }
  };

#if __CUDA_ARCH__ >= 800
  unsigned int from = shared, to = shared + (STAGES - 1) * STAGE;

  /* Code that is not in the instruction cache would cost more than a branch. */
#pragma unroll 1
  for (int k = 0; k < p.steps; k++) {
    y10_copies_wait<STAGES - 2> ();
    __syncthreads ();
    multiply (from, [&] {
      if (k + STAGES - 1 < p.steps) {
        fetch_b (to);
        fetch_a (to);
      }
      y10_copies_commit ();
    });
    to = from;
    from = from == shared + (STAGES - 1) * STAGE ? shared : from + STAGE;
  }
  y10_copies_wait<0> ();
#else
#pragma unroll 1
  for (int k = 0; k < p.steps; k++) {
    char *to = (char *) y10_igemm_shared + (k & 1) * STAGE + place;

#pragma unroll
    for (int i = 0; i < PA; i++)
      *(uint4 *) (to + i * PASS * ROW) = a_next[i];
#pragma unroll
    for (int i = 0; i < PB; i++)
      *(uint4 *) (to + (BM + i * PASS) * ROW) = b_next[i];
    __syncthreads ();
    if (k + 1 < p.steps)
      fetch ();
    multiply (shared + (k & 1) * STAGE, [] {});
  }
#endif

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
      if (!is_inside (i, g))
        continue;
      if (p.silu) {
#pragma unroll
        for (int c = 0; c < 8; c++)
          v[c] = y10_silu<T> (v[c]);
      }
      if (p.add.data) {
        float more[8];

        y10_unpack (add[i][g], more);
#pragma unroll
        for (int c = 0; c < 8; c++)
          v[c] += more[c];
      }
      if (p.out_float)
        y10_store ((float *) p.out.data + place_of (p.out, i, g), v);
      else
        y10_store ((T *) p.out.data + place_of (p.out, i, g), v);
      if (SIZE == 1 && p.up.data) {
        const Y10Raw<T, 8> raw = y10_pack (v, T ());
        T *to = up_of (i, g);

        /* Not unrolled, for most convolutions skip it. */
#pragma unroll 1
        for (int k = 0; k < 2; k++, to += p.up.width * p.up.pixel) {
          y10_store_raw<T, 8> (to, raw);
          y10_store_raw<T, 8> (to + p.up.pixel, raw);
        }
      }
    }
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
