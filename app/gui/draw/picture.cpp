#include "app/gui/draw/picture.hpp"

#include <algorithm>
#include <string>

#include "engine/record/results.hpp"

// The library's one implementation; its own code does not meet our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace attnscope::gui {

Result<void> save_png(const Picture& picture, const std::filesystem::path& path) {
  if (picture.width <= 0 || picture.height <= 0) return bad_input("There is nothing to save: the picture is empty.");
  std::string bytes;
  const auto write = [](void* context, void* data, int size) {
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size_t(size));
  };
  if (!stbi_write_png_to_func(write, &bytes, picture.width, picture.height, 4, picture.rgba.data(), picture.width * 4))
    return internal_error("The picture could not be encoded as PNG.");
  return write_text(path, bytes);
}

Picture crop(const Picture& picture, int x, int y, int width, int height) {
  const int left = std::clamp(x, 0, picture.width), top = std::clamp(y, 0, picture.height);
  const int right = std::clamp(x + width, left, picture.width), bottom = std::clamp(y + height, top, picture.height);
  Picture part{right - left, bottom - top, {}};
  for (int row = top; row < bottom; ++row) {
    const auto* begin = picture.rgba.data() + (size_t(row) * size_t(picture.width) + size_t(left)) * 4;
    part.rgba.insert(part.rgba.end(), begin, begin + size_t(part.width) * 4);
  }
  return part;
}

}  // namespace attnscope::gui
